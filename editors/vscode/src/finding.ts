// Shows a finding: its warp, its visit, and the other side, such as the access that it races with.
import * as vscode from 'vscode';
import type { BufferElement, Buffers, Finding } from '../../panel/src/generated/answers';
import { type LaneMasks, requestMasks, selectionOf } from '../../shared/masks';
import { activeEditor } from './active';
import { moveCursor } from './cursor';
import { informBriefly } from './inform';
import type { Lanes } from './lanes';
import type { LitLines } from './lit';
import type { LanesPanel } from './panel/view';
import type { Server } from './server';
import { showStep } from './step';
import { type Direction, nextFinding } from './steps';
import { Subscriber } from './subscriber';

interface Shown {
  uri: string;
  masks: LaneMasks;
}

export class FindingView extends Subscriber {
  /** The finding that is shown: its line, whose other side is highlighted, and its number in the run. */
  private at?: { line: number; finding: number };

  constructor(
    private readonly server: Server,
    private readonly lanes: Lanes,
    private readonly lit: LitLines,
    private readonly panel: LanesPanel,
  ) {
    super();
    this.subscriptions.push(
      vscode.window.onDidChangeTextEditorSelection(({ selections: [selection] }) => {
        if (this.at === undefined || selection?.active.line === this.at.line) return;
        this.at = undefined;
        this.lit.clear();
      }),
    );
  }

  /** Shows the finding on a line, by default the cursor's line. If the line has several, the user picks one. */
  async show(line = activeEditor()?.selection.active.line): Promise<void> {
    const findings = this.lanes.current?.masks.findings ?? [];
    const onLine = findings.flatMap((finding, number) => (line !== undefined && finding.line === line ? [{ finding, number }] : []));
    if (onLine.length === 0) return informBriefly('this line has no finding of the run');
    const number = onLine.length === 1 ? onLine[0]?.number : await pick(onLine);
    if (number !== undefined) await this.showNumber(number);
  }

  /** Opens the selected entry of the Problems panel, and shows its finding. */
  async showProblem(): Promise<void> {
    const opened = problemOpens();
    await vscode.commands.executeCommand('problems.action.open');
    await opened;
    await this.show();
  }

  /** Moves the cursor to the next finding, and shows it. */
  async goTo(direction: Direction): Promise<void> {
    const editor = activeEditor();
    if (!editor) return;
    const findings = this.lanes.current?.masks.findings ?? [];
    const next = nextFinding(findings, editor.selection.active.line, this.at?.finding, direction);
    if (next === undefined) return informBriefly('the run has no findings');
    await this.goToNumber(next);
  }

  /** Moves the cursor to the statement that stored the first unexpected element, and shows the store. */
  async showUnexpected(): Promise<void> {
    const findings = this.lanes.current?.masks.findings ?? [];
    const number = findings.findIndex(({ element, line }) => element && line !== undefined);
    if (number < 0) return informBriefly('no lane stored an unexpected element');
    await this.goToNumber(number);
  }

  /** Moves the cursor to a finding of the run, and shows it. */
  async goToNumber(number: number): Promise<void> {
    const editor = activeEditor();
    const line = this.lanes.current?.masks.findings[number]?.line;
    if (!editor || line === undefined) return;
    moveCursor(editor, line);
    await this.showNumber(number);
  }

  /** Shows a finding of the run by its number, which is the same for all warps. */
  private async showNumber(number: number): Promise<void> {
    const shown = this.lanes.current;
    const editor = activeEditor();
    const finding = shown?.masks.findings[number];
    if (!shown || !editor || finding?.line === undefined) return;
    this.lit.light(
      editor,
      finding.related.map((other) => other.line),
    );
    this.at = { line: finding.line, finding: number };
    if (finding.element) return this.showElement(shown, finding.element);
    await this.selectWarp(shown, finding);
    await this.selectVisit(shown.uri, finding);
    const others = finding.related.map((other) => `line ${other.line + 1}: ${other.message}`);
    if (others.length > 0) informBriefly(others.join('; '), 10_000);
  }

  /** Shows the lane that stored an element, in its step, and the element in the panel. */
  async showElement({ uri, masks }: Shown, { buffer, index }: BufferElement): Promise<void> {
    const params = { textDocument: { uri }, name: buffer, element: index };
    const buffers = await this.server.request<Buffers | null>('warplens/buffers', params);
    const writer = buffers?.element?.writer;
    if (!writer) return informBriefly(buffers?.element ? `no lane stored ${buffer}[${index}]` : `the launch has no ${buffer}[${index}]`);
    await showStep(this.server, uri, masks, writer);
    const { lane, warp, cta, step } = writer;
    this.panel.showElement({ buffer, element: index, lane });
    const at = step === undefined ? '' : `, step ${step + 1}`;
    informBriefly(`${buffer}[${index}] was stored by lane ${lane} of warp ${warp} of block ${cta.join(',')}${at}`, 10_000);
  }

  private async selectWarp({ uri, masks }: Shown, { cta, warp }: Finding): Promise<void> {
    if (!cta || warp === undefined || (masks.warp === warp && masks.cta.join() === cta.join())) return;
    await this.server.select({ ...selectionOf(uri, masks), cta, warp });
  }

  /** Selects the visit in which the finding occurred. A finding without a visit stopped the run, so it is the last one. */
  private async selectVisit(uri: string, { line, visit }: Finding): Promise<void> {
    // The shown lanes may be of an unfinished run; this request waits for its end.
    const masks = await requestMasks(this.server, uri);
    const visits = masks?.lines.find((candidate) => candidate.line === line)?.count ?? 0;
    if (line === undefined || visits < 2) return;
    await this.server.execute('warplens.selectVisit', { uri, line, visit: Math.min(visit ?? visits, visits) });
  }
}

/** In milliseconds: how long to wait for a problem's editor, and after how long the problem must have been selected already. */
const OPENING = { atMost: 5000, unchanged: 500 };

/** Waits until a problem is selected in the active editor: the command that opens a problem returns before its editor is there. */
function problemOpens(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (isProblemSelected()) done();
    };
    const done = () => {
      for (const timer of timers) clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
      resolve();
    };
    const timers = [setTimeout(check, OPENING.unchanged), setTimeout(done, OPENING.atMost)];
    const subscriptions = [vscode.window.onDidChangeTextEditorSelection(check), vscode.window.onDidChangeActiveTextEditor(check)];
  });
}

/** Whether the selection of the active editor is a problem or a location related to one. */
function isProblemSelected(): boolean {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return false;
  const ofProblem = ({ range, relatedInformation = [] }: vscode.Diagnostic) => [
    range,
    ...relatedInformation.map(({ location }) => location.range),
  ];
  return vscode.languages
    .getDiagnostics(editor.document.uri)
    .flatMap(ofProblem)
    .some((range) => range.isEqual(editor.selection));
}

async function pick(findings: { finding: Finding; number: number }[]): Promise<number | undefined> {
  const items = findings.map(({ finding: { message, cta, warp, visit }, number }) => {
    const [term = '', ...details] = message.split('\n');
    const place = cta && warp !== undefined ? `block ${cta.join(',')}, warp ${warp}${visit ? `, visit ${visit}` : ''}` : undefined;
    return { label: term, description: place, detail: details.join(' '), number };
  });
  return (await vscode.window.showQuickPick(items, { title: 'Show one of the findings on this line' }))?.number;
}
