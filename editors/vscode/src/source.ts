// Open Source Beside: the source that a file was compiled from, with the lines that belong to each other highlighted.
import * as vscode from 'vscode';
import { activeDocument } from './lanes';
import type { LitLines } from './lit';
import type { Server } from './server';
import { sourceLines, type SourceLine } from './source_lines';

/** Milliseconds after an edit until the lines are read again. */
const EDIT_DELAY = 300;

/** A compiled file whose source was opened beside it. */
interface Compiled {
  uri: string;
  lines: (SourceLine | undefined)[];
}

export class SourceBeside implements vscode.Disposable {
  private compiled?: Compiled;
  private timer?: ReturnType<typeof setTimeout>;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly lit: LitLines,
  ) {
    this.subscriptions = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind !== undefined) this.follow(textEditor);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.edited(document)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.toString() === this.compiled?.uri) this.compiled = undefined;
      }),
    ];
  }

  /** Opens the source of the line with the cursor. */
  async open(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const document = activeDocument();
    if (!editor || !document) {
      void vscode.window.showInformationMessage('Warplens: open a .ptx file to open its source.');
      return;
    }
    await this.server.start();
    const lines = await this.linesOf(document);
    const at = editor.selection.active.line;
    const place = lines[at] ?? lines.slice(at).find((line) => line) ?? lines.find((line) => line);
    if (!place) {
      void vscode.window.showInformationMessage(
        'Warplens: no source was found. It needs .loc and .file directives (nvcc -lineinfo), and the file at its path, beside this document or in the workspace.',
      );
      return;
    }
    this.compiled = { uri: document.uri.toString(), lines };
    const source = await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri));
    await vscode.window.showTextDocument(source, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    this.light(place);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private async linesOf(document: vscode.TextDocument): Promise<(SourceLine | undefined)[]> {
    const params = { textDocument: { uri: document.uri.toString() } };
    const links = await this.server.request<{ range: { start: { line: number } }; target?: string }[] | null>('textDocument/documentLink', params);
    const places = (links ?? []).map(({ range, target }) => ({ line: range.start.line, target: target ?? '' }));
    const texts = Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line).text);
    return sourceLines(texts, places);
  }

  private edited(document: vscode.TextDocument): void {
    if (document.uri.toString() !== this.compiled?.uri) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { compiled } = this;
      if (!compiled) return;
      this.linesOf(document).then(
        (lines) => (compiled.lines = lines),
        () => undefined, // superseded by another edit, which reads them again
      );
    }, EDIT_DELAY);
  }

  /** Highlights what belongs to the line with the cursor, in both editors. */
  private follow(editor: vscode.TextEditor): void {
    const { compiled } = this;
    if (!compiled) return;
    const uri = editor.document.uri.toString();
    const at = editor.selection.active.line;
    const place = uri === compiled.uri ? compiled.lines[at] : compiled.lines.find((line) => line?.line === at && isFile(line, editor));
    if (place) this.light(place, editor);
    else if (uri === compiled.uri) this.lit.clear();
  }

  /** `moved` is the editor with the cursor: the other ones scroll. */
  private light(place: SourceLine, moved = vscode.window.activeTextEditor): void {
    const { compiled } = this;
    for (const editor of vscode.window.visibleTextEditors) {
      const lines = editor.document.uri.toString() === compiled?.uri ? linesAt(compiled, place) : isFile(place, editor) ? [place.line] : [];
      this.lit.light(editor, lines);
      const [first] = lines;
      if (first === undefined || editor === moved) continue;
      editor.revealRange(new vscode.Range(first, 0, first, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }
}

function isFile(place: SourceLine, editor: vscode.TextEditor): boolean {
  return vscode.Uri.parse(place.uri).path === editor.document.uri.path;
}

function linesAt({ lines }: Compiled, place: SourceLine): number[] {
  return lines.flatMap((line, index) => (line?.line === place.line && line.uri === place.uri ? [index] : []));
}
