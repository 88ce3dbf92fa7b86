// Opens listings at their first function, where the file begins with headers and data that fill the editor.
import * as vscode from 'vscode';
import { SASS } from './languages';
import { functionLine } from './sass';
import { Subscriber } from './subscriber';

export class ListingStart extends Subscriber {
  private readonly seen = new WeakSet<vscode.TextDocument>();

  constructor() {
    super();
    const show = (editors: readonly vscode.TextEditor[]) => {
      for (const editor of editors) this.show(editor);
    };
    this.subscriptions.push(vscode.window.onDidChangeVisibleTextEditors(show));
    for (const editor of vscode.window.visibleTextEditors) this.seen.add(editor.document);
  }

  /** Once for each document, and only where it is still at its start. */
  private show(editor: vscode.TextEditor): void {
    const { document, selection, visibleRanges } = editor;
    if (document.languageId !== SASS || this.seen.has(document)) return;
    this.seen.add(document);
    const [visible] = visibleRanges;
    const line = functionLine(document);
    if (!visible || visible.start.line > 0 || selection.active.line > 0 || line <= visible.end.line) return;
    editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
  }
}
