// Highlighted lines: the other side of a finding, and code and its source beside each other.
import * as vscode from 'vscode';

export class LitLines implements vscode.Disposable {
  private readonly type = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('warplens.line.lit'),
    overviewRulerColor: new vscode.ThemeColor('warplens.line.lit'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });

  /** Highlights these lines of an editor, and no others. */
  light(editor: vscode.TextEditor, lines: Iterable<number>): void {
    const isLine = (line: number) => line >= 0 && line < editor.document.lineCount;
    const ranges = [...lines].filter(isLine).map((line) => new vscode.Range(line, 0, line, 0));
    editor.setDecorations(this.type, ranges);
  }

  /** Removes the highlights from all editors. */
  clear(): void {
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.type, []);
  }

  dispose(): void {
    this.type.dispose();
  }
}
