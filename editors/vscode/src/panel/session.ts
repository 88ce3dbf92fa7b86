// The panel's side in the extension: sends the run of the active editor to the page, and does what the page asks.
import * as vscode from 'vscode';
import type { Writer } from '../../../panel/src/generated/answers';
import { messageOf, PANEL_COMMANDS, type PanelCommand, type ToExtension, type ToPanel } from '../../../panel/src/messages';
import type { LaneMasks } from '../../../shared/masks';
import { NO_DOCUMENT, NO_RUN, runInfo, textsOf } from '../../../shared/run_info';
import { editorAt } from '../active';
import { moveCursor } from '../cursor';
import type { DebuggedKernels } from '../debugged';
import { LANGUAGES } from '../languages';
import { expectBuffer } from '../launch';
import type { Server } from '../server';
import { showStep } from '../step';
import type { LaneStore } from '../store';
import { Subscriber } from '../subscriber';
import { answerWhy } from '../why';

/** What the page is told to show of a run. */
export type ToShow = Extract<ToPanel, { type: 'show' | 'element' | 'place' }>;

/** What the panel needs of the extension. */
export interface Parts {
  server: Server;
  store: LaneStore;
  debugged: DebuggedKernels;
  log: vscode.LogOutputChannel;
}

/** Lives as long as one page. */
export class Session extends Subscriber {
  private readonly server: Server;
  private readonly store: LaneStore;
  private readonly debugged: DebuggedKernels;
  private readonly log: vscode.LogOutputChannel;
  private readonly cancellations = new Map<number, vscode.CancellationTokenSource>();
  /** The shown document: the one of the last editor while another part of the window has the focus. */
  private uri?: string;
  private isReady = false;
  private readonly wanted: ToShow[] = [];
  /** The line to which the panel moved the cursor. */
  private own?: number;
  /** The run that the page has. */
  private sent?: LaneMasks;

  constructor(
    private readonly webview: vscode.Webview,
    { server, store, debugged, log }: Parts,
  ) {
    super();
    [this.server, this.store, this.debugged, this.log] = [server, store, debugged, log];
    this.subscriptions.push(
      webview.onDidReceiveMessage((message: ToExtension) => this.receive(message)),
      store.onDidChange((uri) => {
        // An edit only moves the lines of a run that the page has; a new run is a new object.
        if (uri === this.uri && store.of(uri) !== this.sent) this.sendRun();
      }),
      server.onDidProgress((uri) => {
        if (uri === this.uri) this.sendProgress();
      }),
      debugged.onDidStop((uri) => {
        if (uri === this.uri) this.sendStop();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.followEditor()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        const line = selections[0]?.active.line;
        if (textEditor.document.uri.toString() === this.uri && line !== undefined) this.followCursor(line);
      }),
    );
  }

  override dispose(): void {
    super.dispose();
    for (const source of this.cancellations.values()) source.cancel();
  }

  /** Shows a tab or an element, at once or when the page is ready. */
  show(message: ToShow): void {
    if (this.isReady) this.send(message);
    else this.wanted.push(message);
  }

  private send(message: ToPanel): void {
    void this.webview.postMessage(message);
  }

  private receive(message: ToExtension): void {
    switch (message.type) {
      case 'ready':
        this.isReady = true;
        this.uri = undefined;
        this.followEditor();
        for (const message of this.wanted.splice(0)) this.send(message);
        this.keepCursorInView();
        break;
      case 'request':
        void this.answer(message.id, message.method, message.params);
        break;
      case 'cancel':
        this.cancellations.get(message.id)?.cancel();
        break;
      case 'stop':
        if (this.uri) void this.server.execute('warplens.stopRun', { uri: this.uri });
        break;
      case 'reveal':
        void this.reveal(message);
        break;
      case 'visit':
        void this.showVisit(message);
        break;
      case 'warp':
        void this.selectWarp(message);
        break;
      case 'why':
        if (this.uri) void answerWhy(this.server, this.store, this.uri, message.question);
        break;
      case 'expect':
        if (this.uri) void expectBuffer(this.server, this.store, this.uri, message.buffer);
        break;
      case 'command':
        if (PANEL_COMMANDS.includes(message.command)) void this.run(message.command);
        break;
      case 'copy':
        void vscode.env.clipboard.writeText(message.text);
        break;
      case 'save':
        void save(message.name, message.text, this.uri);
        break;
      case 'painted':
        this.log.debug(`panel: ${message.what}: ${message.milliseconds.toFixed(1)} ms`);
        break;
    }
  }

  /** The panel has taken room from the editor: the line of the cursor stays in view. */
  private keepCursorInView(): void {
    const editor = this.editor();
    editor?.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** The page follows the active editor if Warplens knows its language; otherwise it keeps the last document. */
  private followEditor(): void {
    const document = vscode.window.activeTextEditor?.document;
    const uri = document && LANGUAGES.includes(document.languageId) ? document.uri.toString() : this.uri;
    if (uri === undefined) this.send({ type: 'nothing', nothing: NO_DOCUMENT });
    if (uri === this.uri) return;
    this.uri = uri;
    this.sendRun();
    this.sendProgress();
  }

  private sendProgress(): void {
    this.send({ type: 'running', run: (this.uri && this.server.runOf(this.uri)) || null });
  }

  private sendRun(): void {
    const masks = this.store.of(this.uri);
    const document = vscode.workspace.textDocuments.find((document) => document.uri.toString() === this.uri);
    this.sent = masks;
    if (!masks || !document) {
      this.send({ type: 'nothing', nothing: NO_RUN });
      return;
    }
    this.send({ type: 'run', run: runInfo(masks), ...textsOf(document, masks) });
    const line = this.editor()?.selection.active.line;
    this.own = undefined;
    if (line !== undefined) this.followCursor(line);
    this.sendStop();
  }

  /** The views go to where the debugger has stopped. */
  private sendStop(): void {
    const stop = this.debugged.of(this.uri);
    this.send({ type: 'stopped', warps: stop?.warps ?? [] });
    if (stop?.line !== undefined) this.send({ type: 'cursor', line: stop.line, visit: stop.visit });
  }

  /** Moves the debugger to a visit that the page has gone to; false if there is no debugger. */
  private async debug(line: number, visit: number): Promise<boolean> {
    const masks = this.store.of(this.uri);
    if (!this.uri || !masks) return false;
    const stop = this.debugged.of(this.uri);
    if (stop?.line === line && stop.visit === visit) return true;
    const { cta, warp } = masks;
    return this.debugged.goTo(this.uri, { cta, warp, line, visit });
  }

  private async showVisit({ line, visit }: Extract<ToExtension, { type: 'visit' }>): Promise<void> {
    if (!(await this.debug(line, visit))) await this.server.execute('warplens.selectVisit', { uri: this.uri, line, visit });
  }

  /** If the warp reached the line of the cursor, the views go there, to the chosen or the last visit. */
  private followCursor(line: number): void {
    if (line === this.own) return;
    this.own = undefined;
    const masks = this.store.of(this.uri);
    if (!masks?.lines.some((of) => of.line === line)) return;
    const visit = masks.visit?.line === line ? masks.visit.number : undefined;
    this.send({ type: 'cursor', line, visit });
  }

  private async answer(id: number, method: string, params: object): Promise<void> {
    if (!this.uri) return this.send({ type: 'answer', id, result: null });
    const source = new vscode.CancellationTokenSource();
    this.cancellations.set(id, source);
    try {
      const result = await this.server.request<never>(
        `warplens/${method}`,
        { ...params, textDocument: { uri: this.uri }, partial: true },
        source.token,
      );
      this.send({ type: 'answer', id, result: result ?? null });
    } catch (error) {
      this.send({ type: 'answer', id, error: messageOf(error) });
    } finally {
      this.cancellations.delete(id);
      source.dispose();
    }
  }

  private editor(): vscode.TextEditor | undefined {
    return editorAt(this.uri);
  }

  private async reveal({ line, focus, visit }: Extract<ToExtension, { type: 'reveal' }>): Promise<void> {
    if (visit !== undefined && (await this.debug(line, visit))) return;
    let editor = this.editor();
    if (focus && this.uri) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(this.uri));
      editor = await vscode.window.showTextDocument(document, { viewColumn: editor?.viewColumn, preserveFocus: false });
    }
    if (!editor || line >= editor.document.lineCount) return;
    this.own = line;
    moveCursor(editor, line);
  }

  private async selectWarp(warp: Pick<Writer, 'cta' | 'warp' | 'step'>): Promise<void> {
    const masks = this.store.of(this.uri);
    if (!masks || !this.uri) return;
    const isDone = warp.step === undefined && (await this.debugged.goTo(this.uri, { cta: warp.cta, warp: warp.warp }));
    if (!isDone) await showStep(this.server, this.uri, masks, warp);
  }

  /** Commands of the extension apply to the active editor, so the shown document becomes active first. */
  private async run(command: PanelCommand): Promise<void> {
    const editor = this.editor();
    if (editor && vscode.window.activeTextEditor !== editor)
      await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn });
    await vscode.commands.executeCommand(command);
  }
}

/** Asks for the place of a file and writes it. */
async function save(name: string, text: string, uri: string | undefined): Promise<void> {
  const folder = uri ? vscode.Uri.joinPath(vscode.Uri.parse(uri), '..') : vscode.workspace.workspaceFolders?.[0]?.uri;
  const defaultUri = folder && folder.scheme !== 'untitled' ? vscode.Uri.joinPath(folder, name) : undefined;
  const target = await vscode.window.showSaveDialog({ defaultUri, filters: { SVG: ['svg'] } });
  if (target) await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
}
