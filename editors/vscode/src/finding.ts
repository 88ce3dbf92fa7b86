// Shows a finding: its warp, its visit, and the other side, such as the access that it races with.
import * as vscode from 'vscode';
import { activeEditor, type Finding, type LaneMasks, type Lanes, selectionOf } from './lanes';
import type { LitLines } from './lit';
import type { Server } from './server';

interface Shown {
  uri: string;
  masks: LaneMasks;
}

export class FindingView implements vscode.Disposable {
  /** The line whose other side is highlighted. */
  private line?: number;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly lanes: Lanes,
    private readonly lit: LitLines,
  ) {
    this.subscription = vscode.window.onDidChangeTextEditorSelection(({ selections: [selection] }) => {
      if (this.line === undefined || selection?.active.line === this.line) return;
      this.line = undefined;
      this.lit.clear();
    });
  }

  /** Shows the finding on a line, at the cursor by default. */
  async show(line = activeEditor()?.selection.active.line): Promise<void> {
    const shown = this.lanes.current;
    const editor = activeEditor();
    const finding = shown?.masks.findings.find((finding) => finding.line === line);
    if (!shown || !editor || !finding) {
      void vscode.window.setStatusBarMessage('Warplens: this line has no finding of the run', 3000);
      return;
    }
    this.lit.light(editor, finding.related.map((other) => other.line));
    this.line = finding.line;
    await this.selectWarp(shown, finding);
    await this.selectVisit(shown.uri, finding);
    const others = finding.related.map((other) => `line ${other.line + 1}: ${other.message}`);
    if (others.length > 0) void vscode.window.setStatusBarMessage(`Warplens: ${others.join('; ')}`, 10_000);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async selectWarp({ uri, masks }: Shown, { cta, warp }: Finding): Promise<void> {
    if (!cta || warp === undefined || (masks.warp === warp && masks.cta.join() === cta.join())) return;
    await this.server.select({ ...selectionOf(uri, masks), cta, warp });
  }

  /** Selects the visit in which the finding was found: without a number the last one, at which the run stopped. */
  private async selectVisit(uri: string, { line, visit }: Finding): Promise<void> {
    // The lanes of the warp may be those of a run in progress, for which the request waits.
    const masks = await this.server.request<LaneMasks | null>('warplens/laneMasks', { textDocument: { uri } });
    const visits = masks?.lines.find((candidate) => candidate.line === line)?.count ?? 0;
    if (line === undefined || visits < 2) return;
    await this.server.execute('warplens.selectVisit', { uri, line, visit: Math.min(visit ?? visits, visits) });
  }
}
