// Open SASS Beside: the machine code of a PTX file, made by the configured ptxas, in a read-only document that is updated on saves.
import * as vscode from 'vscode';
import { messageOf } from '../../panel/src/messages';
import { activeDocument, editorOf } from './active';
import type { Targets } from './generated/messages';
import { inform } from './inform';
import { type LinkedDocuments, linesOf } from './linked';
import type { SameLaunch } from './same_launch';
import type { Server } from './server';
import { Subscriber } from './subscriber';
import { showToolError } from './tool_error';

const SCHEME = 'warplens-sass';

/** How long to wait until a document has its new text, in milliseconds. */
const UPDATE_LIMIT = 2000;

/** What a document shows: the PTX file, and the target if it is not the one of the PTX. */
interface Origin {
  ptx: string;
  target?: string;
}

export class SassBeside extends Subscriber implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  /** The last listing of each document. */
  private readonly texts = new Map<string, string>();
  /** The number of the last request of each document. */
  private readonly requests = new Map<string, number>();
  /** The documents whose last save could not be assembled; the user was warned once. */
  private readonly failed = new Set<string>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly linked: LinkedDocuments,
    private readonly launches: SameLaunch,
  ) {
    super();
    this.subscriptions.push(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidSaveTextDocument((document) => this.saved(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
    );
  }

  /** Opens the machine code of a kernel from its lens, or of the active document for a target that the user picks. */
  async open(uri?: string, entry?: string): Promise<void> {
    const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)) : activeDocument();
    if (document?.languageId !== 'ptx') return inform('open a .ptx file to assemble it.');
    try {
      await this.server.start();
      const target = uri ? {} : await this.pickTarget(document);
      if (target) await this.show(document, target.name, { entry });
    } catch (error) {
      showToolError(error);
    }
  }

  /** Shows the machine code of a document, assembled unless `text` is known, and returns its editor. */
  async show(ptx: vscode.TextDocument, target?: string, known: { entry?: string; text?: string } = {}): Promise<vscode.TextEditor> {
    const origin: Origin = { ptx: ptx.uri.toString(), target };
    const path = `${ptx.uri.path}${target ? `.${target}` : ''}.sass`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: JSON.stringify(origin) });
    await this.update(uri, known.text ?? (await this.assemble(origin)));
    const document = await vscode.workspace.openTextDocument(uri);
    const from = editorOf(ptx);
    const shown = editorOf(document);
    const viewColumn = shown?.viewColumn ?? vscode.ViewColumn.Beside;
    const editor = await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: false });
    revealFunction(editor, known.entry);
    await this.linked.link(document);
    if (from) this.linked.light(from);
    this.launches.pair(origin.ptx, document.uri.toString());
    return editor;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const known = this.texts.get(uri.toString());
    if (known !== undefined) return known;
    // The tab was restored from an earlier session.
    await this.server.start();
    const origin = JSON.parse(uri.query) as Origin;
    const text = await this.assemble(origin);
    this.texts.set(uri.toString(), text);
    setTimeout(() => void this.restore(uri, origin), 0);
    return text;
  }

  /** Links a document that VS Code reopened by itself, once it has its text. */
  private async restore(uri: vscode.Uri, { ptx }: Origin): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    await this.linked.link(document);
    this.launches.pair(ptx, uri.toString());
  }

  private assemble({ ptx, target }: Origin): Promise<string> {
    return this.server.requestText('warplens/assemble', { textDocument: { uri: ptx }, target });
  }

  /** Gives a document a new text. Resolves when an open document has it, or after a limit if VS Code sees no change. */
  private async update(uri: vscode.Uri, text: string): Promise<void> {
    const key = uri.toString();
    this.texts.set(key, text);
    const document = vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
    if (!document || document.getText() === text) return;
    const changed = new Promise<void>((resolve) => {
      const done = () => {
        subscription.dispose();
        clearTimeout(timer);
        resolve();
      };
      const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document) done();
      });
      const timer = setTimeout(done, UPDATE_LIMIT);
    });
    this.changed.fire(uri);
    await changed;
  }

  /** The target that the user picks: `{}` for the document's own, undefined if the list is cancelled. */
  private async pickTarget(document: vscode.TextDocument): Promise<{ name?: string } | undefined> {
    const answer = await this.server.request<Targets>('warplens/targets', { textDocument: { uri: document.uri.toString() } });
    const targets = answer?.targets ?? [];
    if (targets.length < 2) return {};
    const items = targets.map((target, index) => ({
      label: target,
      description:
        target === answer?.own
          ? 'the target of this file'
          : index === 0
            ? 'the lowest target that ptxas assembles this file for'
            : undefined,
      name: index === 0 ? undefined : target,
    }));
    return vscode.window.showQuickPick(items, { title: 'Open SASS Beside', placeHolder: 'The target of the machine code' });
  }

  private saved(ptx: vscode.TextDocument): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme !== SCHEME) continue;
      const origin = JSON.parse(document.uri.query) as Origin;
      if (origin.ptx === ptx.uri.toString()) void this.assembleAgain(document.uri, origin, ptx);
    }
  }

  private async assembleAgain(uri: vscode.Uri, origin: Origin, ptx: vscode.TextDocument): Promise<void> {
    const key = uri.toString();
    const request = (this.requests.get(key) ?? 0) + 1;
    this.requests.set(key, request);
    try {
      const text = await this.assemble(origin);
      if (this.requests.get(key) !== request) return; // a later save
      this.failed.delete(key);
      await this.update(uri, text);
      this.launches.again(origin.ptx);
    } catch (error) {
      if (this.requests.get(key) !== request || this.failed.has(key)) return;
      this.failed.add(key);
      const name = vscode.workspace.asRelativePath(ptx.uri);
      void vscode.window.showWarningMessage(`Warplens: the SASS of ${name} is that of an earlier save: ${messageOf(error)}`);
    }
  }

  private forget({ uri }: vscode.TextDocument): void {
    if (uri.scheme !== SCHEME) return;
    const key = uri.toString();
    this.texts.delete(key);
    this.requests.delete(key);
    this.failed.delete(key);
    this.launches.unpair(key);
  }
}

/** Scrolls to a function of a listing; to the first one, with its lens, if none is named and the listing is at its start. */
export function revealFunction(editor: vscode.TextEditor, name?: string): void {
  if (!name && editor.visibleRanges[0]?.start.line !== 0) return;
  const line = functionLine(editor.document, name);
  if (line >= 0) editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
}

/** The line of a function of a listing, or the line above the first one; -1 if there is none. */
export function functionLine(document: vscode.TextDocument, name?: string): number {
  const isFirst = (_: string, index: number, texts: string[]) => /^\s*(?:\.section\s+\.text\.|Function : )/.test(texts[index + 1] ?? '');
  const isNamed = (text: string) => text === `${name}:` || text.endsWith(`Function : ${name}`);
  return linesOf(document).findIndex(name ? isNamed : isFirst);
}
