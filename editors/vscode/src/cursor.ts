// Moves the cursor of an editor.
import * as vscode from 'vscode';

/** Moves the cursor to the first character of a line, and shows it. */
export function moveCursor(editor: vscode.TextEditor, line: number): void {
  const column = editor.document.lineAt(line).firstNonWhitespaceCharacterIndex;
  editor.selection = new vscode.Selection(line, column, line, column);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
