// The space before the code in which strips are drawn. All lines have it, so that code stays aligned.
import * as vscode from 'vscode';

/** Lines above and below the visible ones that have the space too: scrolling by pages moves no code. */
const MARGIN = 5000;

interface Reserved {
  type: vscode.TextEditorDecorationType;
  lineCount: number;
  lines: vscode.Range;
}

export class Space implements vscode.Disposable {
  private readonly types = new Map<string, vscode.TextEditorDecorationType>();
  private readonly reserved = new WeakMap<vscode.TextEditor, Reserved>();

  /** Gives the lines of an editor a space of this width, or takes it from them. */
  reserve(editor: vscode.TextEditor, width: string | undefined): void {
    const known = this.reserved.get(editor);
    const type = width === undefined ? undefined : this.typeOf(width);
    const { lineCount } = editor.document;
    if (known && known.type !== type) editor.setDecorations(known.type, []);
    if (!type) {
      this.reserved.delete(editor);
      return;
    }
    const isCovered = editor.visibleRanges.every((range) => known?.lines.contains(range));
    if (known?.type === type && known.lineCount === lineCount && isCovered) return;
    const lines = around(editor);
    editor.setDecorations(type, startsOf(lines));
    this.reserved.set(editor, { type, lineCount, lines });
  }

  dispose(): void {
    for (const type of this.types.values()) type.dispose();
  }

  private typeOf(width: string): vscode.TextEditorDecorationType {
    let type = this.types.get(width);
    if (!type) {
      // In an empty line, VS Code draws the cursor before the last decoration: an empty one.
      type = vscode.window.createTextEditorDecorationType({ before: { contentText: '', width }, after: { contentText: '' } });
      this.types.set(width, type);
    }
    return type;
  }
}

/** The visible lines and those near them, with the start of the next line. */
function around({ document, visibleRanges }: vscode.TextEditor): vscode.Range {
  const first = Math.min(...visibleRanges.map(({ start }) => start.line), document.lineCount);
  const last = Math.max(...visibleRanges.map(({ end }) => end.line), 0);
  return new vscode.Range(Math.max(first - MARGIN, 0), 0, Math.min(last + 1 + MARGIN, document.lineCount), 0);
}

function startsOf({ start, end }: vscode.Range): vscode.Range[] {
  return Array.from({ length: end.line - start.line }, (_, index) => new vscode.Range(start.line + index, 0, start.line + index, 0));
}
