// Why a lane holds a value: a list of the writes that it came through, of which each leads to its moment.
import * as vscode from 'vscode';
import type { Why, WhyLink } from '../../panel/src/generated/answers';
import type { WhyQuestion } from '../../panel/src/messages';
import { editorAt } from './active';
import { moveCursor } from './cursor';
import { TYPE, threadOf } from './debugged';
import type { FocusedLane } from './focused_lane';
import { inform } from './inform';
import { REGISTER } from './languages';
import type { Server } from './server';
import { showStep } from './step';
import type { LaneStore } from './store';

/** A link as it is listed. Lines count from 0; a statement that was removed from the text has none. */
type Listed = Pick<WhyLink, 'lane' | 'line' | 'operands' | 'step' | 'text' | 'value'>;

/** A register that a link in a hover names. */
export interface Named {
  line: number;
  register: string;
}

/** A question about the visit of a line that is shown. */
interface AtLine {
  line: number;
  visit?: number;
  lane: number;
  register: string;
  after: boolean;
}

/**
 * Why a lane holds the value of a register, by default the one under the cursor: before the position of the debugger or, if nothing is
 * being debugged, after the shown visit of the line.
 */
export async function askWhy(server: Server, store: LaneStore, focused: FocusedLane, named?: Named): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const range = editor.document.getWordRangeAtPosition(editor.selection.active, REGISTER);
  const register = named?.register ?? (range && editor.document.getText(range));
  if (!register) return inform('put the cursor on a register.');
  const session = vscode.debug.activeDebugSession;
  const uri = editor.document.uri.toString();
  const masks = store.of(uri);
  if (session?.type !== TYPE && !masks) return inform('no lanes are shown; pick a launch first.');
  const value = String(focused.lane ?? 0);
  const typed = await vscode.window.showInputBox({ title: `Why does a lane hold ${register}?`, prompt: 'The lane', value });
  if (typed === undefined) return;
  const lane = Number(typed);
  const title = titleOf(register, lane);
  if (session?.type === TYPE) {
    const asked = { threadId: threadOf(), lane, register };
    const { chain } = (await session.customRequest('warplens/why', asked)) as { chain: Listed[] };
    const picked = await pickLink(
      title,
      chain.map((link) => ({ ...link, line: (link.line ?? 0) - 1 })),
    );
    if (picked) await session.customRequest('warplens/position', { to: picked.step });
    return;
  }
  const line = named?.line ?? editor.selection.active.line;
  const visit = masks?.visit?.line === line ? masks.visit.number : undefined;
  await explain(server, store, uri, title, { line, visit, lane, register, after: true });
}

/** Answers a question of the panel. */
export function answerWhy(server: Server, store: LaneStore, uri: string, question: WhyQuestion): Promise<void> {
  const title =
    'register' in question ? titleOf(question.register, question.lane) : `Why does ${question.buffer}[${question.element}] hold this?`;
  return explain(server, store, uri, title, question);
}

function titleOf(register: string, lane: number): string {
  return `Why does lane ${lane} hold ${register}?`;
}

/** Lists the chain behind a value of the shown run, and goes to the moment of the picked link. */
async function explain(server: Server, store: LaneStore, uri: string, title: string, question: WhyQuestion | AtLine): Promise<void> {
  const masks = store.of(uri);
  if (!masks) return;
  const { cta, warp } = masks;
  const answer = await server.request<Why | null>('warplens/why', { textDocument: { uri }, cta, warp, ...question });
  const picked = await pickLink(title, answer?.chain ?? []);
  if (!picked) return;
  await showStep(server, uri, masks, picked);
  const editor = editorAt(uri);
  if (editor && picked.line !== null) moveCursor(editor, picked.line);
}

/** The link that the user picks. */
async function pickLink<L extends Listed>(title: string, chain: L[]): Promise<L | undefined> {
  const items = chain.map((link) => ({ ...described(link), link }));
  const placeHolder = chain.length === 0 ? 'No statement wrote it' : 'The newest write first; each goes to its moment';
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder });
  return picked?.link;
}

function described({ value, text, line, lane, step, operands }: Listed): vscode.QuickPickItem {
  const named = operands.map((operand) => (operand.value === null ? operand.name : `${operand.name} = ${operand.value}`));
  const place = line === null ? '' : `line ${line + 1}, `;
  return { label: `${value}  ${text.replace(/\s+/g, ' ')}`, description: `${place}lane ${lane}, step ${step}`, detail: named.join(', ') };
}
