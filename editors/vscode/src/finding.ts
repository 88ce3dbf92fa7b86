// Shows a finding: its warp, and the other side, such as the access that it races with.
import * as vscode from 'vscode';
import { type Finding, type LaneMasks, type Lanes, selectionOf } from './lanes';
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
  async show(line = vscode.window.activeTextEditor?.selection.active.line): Promise<void> {
    const shown = this.lanes.current;
    const editor = vscode.window.activeTextEditor;
    const finding = shown?.masks.findings.find((finding) => finding.line === line);
    if (!shown || !editor || !finding) {
      void vscode.window.setStatusBarMessage('Warplens: this line has no finding of the run', 3000);
      return;
    }
    this.lit.light(editor, finding.related.map((other) => other.line));
    this.line = finding.line;
    await this.selectWarp(shown, finding);
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
}
