// Compares a kernel with another file, or with its own machine code, which the configured ptxas makes.
import * as vscode from 'vscode';
import { type Answer, agreement, differenceOf } from '../../shared/compared';
import { activeDocument, editorOf } from './active';
import { moveCursor } from './cursor';
import { inform, warn } from './inform';
import { LANGUAGES } from './languages';
import type { LinkedDocuments } from './linked';
import type { SassBeside } from './sass';
import type { Server } from './server';
import { Subscriber } from './subscriber';
import { showToolError } from './tool_error';

/** How many more launches with random inputs are compared if the first one agrees. */
const DRAWN = 100;
/** The number of files that are listed. */
const MAX_FILES = 1000;

/** The request that the client or the user cancelled. */
const CANCELLED = -32800;

export class Comparisons extends Subscriber {
  private readonly found = vscode.languages.createDiagnosticCollection('warplens-compare');

  constructor(
    private readonly server: Server,
    private readonly sass: SassBeside,
    private readonly linked: LinkedDocuments,
  ) {
    super();
    this.subscriptions.push(
      this.found,
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // The result does not apply to an edited text.
        if (contentChanges.length > 0 && this.found.has(document.uri)) this.found.clear();
      }),
    );
  }

  /** Compares the active document with a file that the user picks. */
  async withFile(): Promise<void> {
    const document = activeDocument();
    if (!document) return inform('open a .ptx, .sass or WAVE file to compare it.');
    const other = await pickFile(document);
    if (!other) return;
    await this.compare(document, { other: { uri: other.toString() } }, vscode.workspace.asRelativePath(other), () =>
      vscode.workspace.openTextDocument(other),
    );
  }

  /** Compares a document, or the active one, with its machine code. */
  async withPtxas(uri?: string, entry?: string): Promise<void> {
    const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)) : activeDocument();
    if (document?.languageId !== 'ptx') return inform('open a .ptx file to compare it with its machine code.');
    await this.compare(
      document,
      { entry },
      'its machine code',
      async ({ listing }) => (await this.sass.show(document, undefined, { text: listing })).document,
    );
  }

  private async compare(
    document: vscode.TextDocument,
    request: object,
    other: string,
    openOther: (compared: Answer) => Thenable<vscode.TextDocument>,
  ): Promise<void> {
    this.found.clear();
    const name = vscode.workspace.asRelativePath(document.uri);
    const title = `Comparing ${name} with ${other}`;
    try {
      await this.server.start();
      const params = { textDocument: { uri: document.uri.toString() }, random: DRAWN, ...request };
      const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
      const compared = await vscode.window.withProgress(options, (progress, token) =>
        this.server.requestWithProgress<Answer>('warplens/compare', params, progress, token),
      );
      if (!compared) return;
      if (compared.equal) (compared.warning ? warn : inform)(agreement(name, other, compared));
      else await this.show(compared, [document, await openOther(compared)]);
    } catch (error) {
      if ((error as { code?: number }).code !== CANCELLED) showToolError(error);
    }
  }

  /** Shows the first difference in both documents, each with a link to the other. */
  private async show(compared: Answer, documents: [vscode.TextDocument, vscode.TextDocument]): Promise<void> {
    const names = documents.map(({ uri }) => uri.path.split('/').pop() ?? '') as [string, string];
    const { title, sides } = differenceOf(compared, names);
    const places = documents.map((document, side) => {
      const { line, character } = sides[side]?.at ?? kernelOf(document, compared.runs[side]?.entry);
      const start = new vscode.Position(Math.min(line, document.lineCount - 1), character);
      const end = document.lineAt(start.line).range.end;
      return new vscode.Location(document.uri, new vscode.Range(start, end));
    });
    documents.forEach((document, side) => {
      const [place, other] = [places[side], places[1 - side]];
      const message = sides[side]?.message ?? title;
      if (!place || !other) return;
      const diagnostic = new vscode.Diagnostic(place.range, message, vscode.DiagnosticSeverity.Error);
      diagnostic.source = 'warplens-compare';
      diagnostic.code = 'difference';
      diagnostic.relatedInformation = [new vscode.DiagnosticRelatedInformation(other, sides[1 - side]?.message ?? title)];
      this.found.set(document.uri, [...(this.found.get(document.uri) ?? []), diagnostic]);
    });
    const jump = async (side: number, column: vscode.ViewColumn | undefined, preserveFocus: boolean) => {
      const [document, place] = [documents[side], places[side]];
      if (!document || !place) return undefined;
      const shown = editorOf(document);
      const options = { viewColumn: shown?.viewColumn ?? column, preserveFocus, preview: false };
      const editor = await vscode.window.showTextDocument(document, options);
      moveCursor(editor, place.range.start.line);
      return editor;
    };
    await jump(1, vscode.ViewColumn.Beside, true);
    const first = await jump(0, undefined, false);
    if (first) this.linked.light(first);
    const buttons = documents.map((_, side) => `Go to ${names[side]}:${(places[side]?.range.start.line ?? 0) + 1}`);
    const choice = await vscode.window.showWarningMessage(`Warplens: ${title}`, ...buttons);
    if (choice !== undefined) await jump(buttons.indexOf(choice), vscode.ViewColumn.Beside, false);
  }
}

/** The line of a kernel's name. */
function kernelOf(document: vscode.TextDocument, entry = ''): { line: number; character: number } {
  const name = entry.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const declaration = new RegExp(`(\\.entry\\s+|\\.kernel\\s+|Function : |^)${name}(?![\\w$.])`);
  for (let line = 0; line < document.lineCount; line++) {
    const found = declaration.exec(document.lineAt(line).text);
    if (found && name !== '') return { line, character: found.index };
  }
  return { line: 0, character: 0 };
}

/** A file of the workspace, or an open document, that can be simulated. */
async function pickFile(document: vscode.TextDocument): Promise<vscode.Uri | undefined> {
  const files = await vscode.workspace.findFiles('**/*.{ptx,sass,wave}', '**/node_modules/**', MAX_FILES);
  const open = vscode.workspace.textDocuments.filter(({ languageId }) => LANGUAGES.includes(languageId)).map(({ uri }) => uri);
  const others = new Map([...open, ...files].map((uri) => [uri.toString(), uri]));
  others.delete(document.uri.toString());
  const items = [...others.values()].map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  items.sort((a, b) => a.label.localeCompare(b.label));
  const name = vscode.workspace.asRelativePath(document.uri);
  const picked = await vscode.window.showQuickPick(items, { title: `Compare ${name} with`, placeHolder: 'A file with the other kernel' });
  return picked?.uri;
}
