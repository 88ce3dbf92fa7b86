// Goes to a place in the run: its warp and its visit in the editor, its lane and its register in the panel.
import type * as vscode from 'vscode';
import type { Step } from '../../../panel/src/generated/answers';
import { messageOf, type Warp } from '../../../panel/src/messages';
import { type LaneMasks, requestMasks, selectionOf } from '../../../shared/masks';
import { moveCursor } from '../cursor';
import type { FindingView } from '../finding';
import { informBriefly, warn } from '../inform';
import type { LanesPanel } from '../panel/view';
import type { Server } from '../server';
import { coordinates, lineOfRegister, type Place } from './place';

/** What a place is shown in. */
export interface Target {
  server: Server;
  panel: LanesPanel;
  findings: FindingView;
  shown: { uri: string; masks: LaneMasks };
  editor: vscode.TextEditor;
}

export async function goToPlace(target: Target, place: Place): Promise<void> {
  const { server, panel, findings, shown, editor } = target;
  const { uri, masks } = shown;
  if (place.element) return findings.showElement(shown, place.element);
  const warp = warpOf(place, masks);
  const isOther = warp.warp !== masks.warp || warp.cta.join() !== masks.cta.join();
  if (isOther) await server.select({ ...selectionOf(uri, masks), ...warp });
  // This request waits for the end of the run.
  const current = isOther ? ((await requestMasks(server, uri)) ?? masks) : masks;
  const moment = await find(target, place, current);
  if (moment === undefined) return;
  if (moment && moment.line < editor.document.lineCount) {
    moveCursor(editor, moment.line);
    if (place.visit !== undefined || place.step !== undefined)
      await server.execute('warplens.selectVisit', { uri, line: moment.line, visit: moment.visits < 2 ? null : moment.visit });
  }
  const { lane, register, step } = place;
  if (lane === undefined && register === undefined && step === undefined) return;
  await panel.show(register === undefined ? undefined : 'registers');
  panel.showPlace({ step: moment?.step, lane, register });
}

function warpOf({ block, warp }: Place, shown: LaneMasks): Warp {
  return { cta: (block && coordinates(block, shown.launch.grid)) ?? shown.cta, warp: warp ?? shown.warp };
}

/** The step of a place; null if it names none, undefined if the warp has none there, which the user is told. */
async function find({ server, shown, editor }: Target, place: Place, masks: LaneMasks): Promise<Step | null | undefined> {
  const { step, visit } = place;
  const line = lineOf(editor, place, masks);
  if (step === undefined && line === undefined) return null;
  const at = step === undefined ? { line, visit } : { step: step - 1 };
  try {
    return await server.request<Step | null>('warplens/moment', { textDocument: { uri: shown.uri }, ...at });
  } catch (error) {
    warn(messageOf(error));
    return undefined;
  }
}

/** The named line; for a visit or a register, the line of the cursor if the warp reached it, or else one that writes the register. */
function lineOf(editor: vscode.TextEditor, { line, visit, register }: Place, masks: LaneMasks): number | undefined {
  if (line !== undefined) return line - 1;
  if (visit === undefined && register === undefined) return undefined;
  const reached = masks.lines.map((reached) => reached.line);
  const text = (line: number) => (line < editor.document.lineCount ? editor.document.lineAt(line).text : '');
  const cursor = editor.selection.active.line;
  const isHere = reached.includes(cursor) && (register === undefined || text(cursor).includes(register));
  if (isHere) return cursor;
  const found = register === undefined ? undefined : lineOfRegister(register, reached, text);
  if (found === undefined)
    informBriefly(register ? `the warp executed no statement with ${register}` : 'the warp did not execute this line');
  return found;
}
