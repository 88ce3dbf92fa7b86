// Dims what is around the instructions of a listing: their encodings, and the lines that name their source.
import * as vscode from 'vscode';
import { SASS } from './languages';
import { Subscriber } from './subscriber';

/** The words of an encoding, or a line that names a source. */
const DIMMED = /\/\*\s*0x[0-9a-f]+\s*\*\/|^\s*\/\/## File .*/gi;
/** Lines above and below the visible ones that are dimmed too. */
const MARGIN = 100;

export class Encodings extends Subscriber {
  private readonly dimmed = vscode.window.createTextEditorDecorationType({ opacity: '0.65' });

  constructor() {
    super();
    this.subscriptions.push(
      this.dimmed,
      vscode.window.onDidChangeVisibleTextEditors(() => this.drawAll()),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.draw(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.drawAll(document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.drawAll(document)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('warplens.sass.encodings')) this.drawAll();
      }),
    );
    this.drawAll();
  }

  private drawAll(document?: vscode.TextDocument): void {
    const editors = vscode.window.visibleTextEditors.filter((editor) => !document || editor.document === document);
    for (const editor of editors) this.draw(editor);
  }

  private draw(editor: vscode.TextEditor): void {
    if (editor.document.languageId !== SASS) return;
    const isDimmed = vscode.workspace.getConfiguration('warplens').get<string>('sass.encodings') !== 'normal';
    editor.setDecorations(this.dimmed, isDimmed ? editor.visibleRanges.flatMap((range) => parts(editor.document, range)) : []);
  }
}

function parts(document: vscode.TextDocument, { start, end }: vscode.Range): vscode.Range[] {
  const first = Math.max(start.line - MARGIN, 0);
  const last = Math.min(end.line + MARGIN, document.lineCount - 1);
  const lines = Array.from({ length: last - first + 1 }, (_, index) => document.lineAt(first + index));
  return lines.flatMap(({ text, lineNumber }) =>
    [...text.matchAll(DIMMED)].map(({ index, 0: part }) => new vscode.Range(lineNumber, index, lineNumber, index + part.length)),
  );
}
