// Documents with lines that belong to each other, such as PTX and its source: moving in one highlights the lines of the others.
import * as vscode from 'vscode';
import { lineEdit } from '../../shared/strip/positions';
import type { LitLines } from './lit';
import type { Server } from './server';
import { linesTogether, movedLines, type SourceLines, sourceLines } from './source_lines';
import { Subscriber } from './subscriber';

/** Milliseconds after an edit until the lines are read again. */
const EDIT_DELAY = 300;

export class LinkedDocuments extends Subscriber {
  /** The compiled documents, by key. */
  private readonly compiled = new Map<string, SourceLines>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly changed = new vscode.EventEmitter<string>();
  /** Fires with the key of a compiled document whose source lines have changed. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly lit: LitLines,
  ) {
    super();
    this.subscriptions.push(
      this.changed,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind !== undefined) this.light(textEditor);
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor) this.light(editor);
      }),
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.set(keyOf(uri), undefined)),
    );
  }

  /** Links a compiled document with its sources, and returns the source line of each of its lines. */
  async link(document: vscode.TextDocument): Promise<SourceLines> {
    const lines = await this.sourcesOf(document);
    if (lines.some((line) => line)) this.set(keyOf(document.uri), lines);
    return lines;
  }

  /** The source line of each line of a compiled document; undefined if it is not linked. */
  sourceLines(key: string): SourceLines | undefined {
    return this.compiled.get(key);
  }

  /** Whether the lines of a compiled document are those of its text. */
  isCurrent(key: string): boolean {
    return !this.timers.has(key);
  }

  /** Highlights what belongs to the line with the cursor of an editor; the other editors scroll to it. */
  light(moved: vscode.TextEditor): void {
    if (this.compiled.size === 0) return;
    const key = keyOf(moved.document.uri);
    const together = linesTogether(this.compiled, key, moved.selection.active.line);
    const isLinked = together.size > 1;
    if (!isLinked && !this.knows(key)) return;
    for (const editor of vscode.window.visibleTextEditors) {
      const lines = isLinked ? [...(together.get(keyOf(editor.document.uri)) ?? [])].sort((a, b) => a - b) : [];
      this.lit.light(editor, lines);
      const [first] = lines;
      if (first === undefined || editor === moved || first >= editor.document.lineCount) continue;
      editor.revealRange(new vscode.Range(first, 0, first, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  override dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    super.dispose();
  }

  private set(key: string, lines: SourceLines | undefined): void {
    if (lines) this.compiled.set(key, lines);
    else if (!this.compiled.delete(key)) return;
    this.changed.fire(key);
  }

  /** Whether a document is compiled, or a source of one that is. */
  private knows(key: string): boolean {
    return this.compiled.has(key) || [...this.compiled.values()].some((lines) => lines.some((line) => line?.uri === key));
  }

  private async sourcesOf(document: vscode.TextDocument): Promise<SourceLines> {
    const params = { textDocument: { uri: document.uri.toString() } };
    const links = await this.server.request<{ range: { start: { line: number } }; target?: string }[] | null>(
      'textDocument/documentLink',
      params,
    );
    const places = (links ?? []).map(({ range, target }) => ({ line: range.start.line, target: target ?? '' }));
    const keys = new Map<string, string>();
    const key = (uri: string) => {
      const known = keys.get(uri) ?? keyOf(vscode.Uri.parse(uri));
      keys.set(uri, known);
      return known;
    };
    return sourceLines(linesOf(document), places).map((place) => place && { ...place, uri: key(place.uri) });
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const key = keyOf(document.uri);
    for (const edit of contentChanges.map(lineEdit)) {
      for (const [other, lines] of this.compiled) {
        if (lines.some((line) => line?.uri === key)) this.set(other, movedLines(lines, key, edit));
      }
    }
    if (!this.compiled.has(key) || contentChanges.length === 0) return;
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => void this.read(document), EDIT_DELAY),
    );
  }

  private async read(document: vscode.TextDocument): Promise<void> {
    const key = keyOf(document.uri);
    this.timers.delete(key);
    try {
      const lines = await this.sourcesOf(document);
      if (this.compiled.has(key)) this.set(key, lines);
    } catch {
      // A newer edit reads them again.
    }
  }
}

/** What identifies a document here: the server names files by their path. */
export function keyOf(uri: vscode.Uri): string {
  return uri.scheme === 'file' || uri.scheme === 'vscode-remote' ? uri.path : uri.toString();
}

/** The texts of the lines of a document. */
export function linesOf(document: vscode.TextDocument): string[] {
  return Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line).text);
}

/** The file of a source line. */
export function fileOf(key: string): vscode.Uri {
  return vscode.Uri.file(key);
}
