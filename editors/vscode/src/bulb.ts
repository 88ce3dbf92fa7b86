// The line at which VS Code shows its light bulb: that of the cursor, if there is a problem, whose code actions the bulb offers.
import * as vscode from 'vscode';
import { Subscriber } from './subscriber';

export class Bulb extends Subscriber {
  private readonly moved = new vscode.EventEmitter<vscode.TextEditor>();
  private readonly lines = new WeakMap<vscode.TextEditor, number>();
  /** The bulb of an editor has another line, or is gone. */
  readonly onDidMove = this.moved.event;

  constructor() {
    super();
    this.subscriptions.push(
      this.moved,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.update(textEditor)),
      vscode.window.onDidChangeActiveTextEditor(() => this.updateAll()),
      vscode.languages.onDidChangeDiagnostics(() => this.updateAll()),
    );
  }

  line(editor: vscode.TextEditor): number | undefined {
    return this.lines.get(editor);
  }

  private updateAll(): void {
    for (const editor of vscode.window.visibleTextEditors) this.update(editor);
  }

  private update(editor: vscode.TextEditor): void {
    const line = bulbLine(editor);
    if (line === this.lines.get(editor)) return;
    if (line === undefined) this.lines.delete(editor);
    else this.lines.set(editor, line);
    this.moved.fire(editor);
  }
}

function bulbLine(editor: vscode.TextEditor): number | undefined {
  if (editor !== vscode.window.activeTextEditor) return undefined;
  const { line } = editor.selection.active;
  const covers = ({ range }: vscode.Diagnostic) => range.start.line <= line && line <= range.end.line;
  return vscode.languages.getDiagnostics(editor.document.uri).some(covers) ? line : undefined;
}
