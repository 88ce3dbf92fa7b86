// The language server: starts and stops it, and sends requests.
import * as vscode from 'vscode';
import type { BaseLanguageClient, ErrorHandler, LanguageClientOptions } from 'vscode-languageclient';
import type { RunProgress } from '../../panel/src/generated/run_progress';
import { messageOf } from '../../panel/src/messages';
import { display } from './display';
import type { Assembled, Listing, Model, Selection } from './generated/messages';
import type { Home } from './home/home';
import { coloredHosts, HOSTS, LANGUAGES } from './languages';
import { Selections } from './selections';

/** A command that the server registers. */
export type ServerCommand =
  | 'warplens.selectLaunch'
  | 'warplens.listLaunches'
  | 'warplens.draftLaunch'
  | 'warplens.expectBuffer'
  | 'warplens.selectVisit'
  | 'warplens.stopRun'
  | 'warplens.link';

type Library = typeof import('vscode-languageclient');

/** After this many crashes within the period, in milliseconds, the server is not restarted. */
const MAX_CRASHES = 5;
const CRASH_PERIOD = 180_000;

export class Server implements vscode.Disposable {
  private client?: BaseLanguageClient;
  private starting?: Promise<void>;
  /** Adds links to the hover of a line. */
  hoverLinks: (hover: vscode.Hover, uri: string, line: number) => vscode.Hover = (hover) => hover;

  private crashes: number[] = [];
  private progressTokens = 0;
  private readonly selections: Selections;
  private readonly lanesChanged = new vscode.EventEmitter<string>();
  private readonly stopped = new vscode.EventEmitter<void>();
  private readonly progressed = new vscode.EventEmitter<string>();
  private readonly running = new Map<string, RunProgress>();

  /** Fires with the address of a document whose lanes have changed or were removed. */
  readonly onDidChangeLanes = this.lanesChanged.event;

  /** Fires with the address of a document whose run in progress has continued or ended. */
  readonly onDidProgress = this.progressed.event;

  /** Fires when the process has ended. */
  readonly onDidStop = this.stopped.event;

  constructor(
    private readonly home: Home,
    context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.selections = new Selections(context.workspaceState);
  }

  /** Starts the server unless it is running or starting already. */
  start(): Promise<void> {
    this.starting ??= this.launch().catch((error: unknown) => {
      this.starting = undefined;
      void vscode.window.showErrorMessage(`Warplens could not start its server: ${messageOf(error)}`);
    });
    return this.starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Selects the launch whose lanes a document shows. */
  async select(selection: Selection): Promise<void> {
    await this.execute('warplens.selectLaunch', selection);
    this.selections.keep(selection);
  }

  /** Keeps the present name of the launch that a document shows, which may have been renamed. */
  follow(uri: string, launch: string): void {
    const kept = this.selections.of(uri);
    if (typeof kept?.launch === 'string' && kept.launch !== launch) this.selections.keep({ ...kept, launch });
  }

  /** The divergence models of all languages. */
  get models(): readonly Model[] {
    return this.client?.initializeResult?.capabilities.experimental?.models ?? [];
  }

  /** The run in progress of a document, if it has taken a while. */
  runOf(uri: string): RunProgress | undefined {
    return this.running.get(uri);
  }

  /** Runs a command of the server; undefined while there is no server. */
  execute<T>(command: ServerCommand, argument: object): Promise<T | undefined> {
    return this.request<T>('workspace/executeCommand', { command, arguments: [argument] });
  }

  /** Sends a request; undefined while there is no server. */
  async request<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T | undefined> {
    if (!this.client?.isRunning()) return undefined;
    return token ? this.client.sendRequest<T>(method, params, token) : this.client.sendRequest<T>(method, params);
  }

  /** The text that a request asks for. */
  async requestText(method: string, params: object): Promise<string> {
    const answer = await this.request<Assembled | Listing>(method, params);
    if (!answer) throw new Error('the language server is not running');
    return answer.text;
  }

  /** Sends a request whose progress the server reports; undefined while there is no server. */
  async requestWithProgress<T>(
    method: string,
    params: object,
    progress: vscode.Progress<{ message?: string; increment?: number }>,
    token: vscode.CancellationToken,
  ): Promise<T | undefined> {
    const { client } = this;
    if (!client?.isRunning()) return undefined;
    const { WorkDoneProgress } = await import('vscode-languageclient');
    const workDoneToken = `warplens/request/${++this.progressTokens}`;
    let done = 0;
    const reports = client.onProgress(WorkDoneProgress.type, workDoneToken, (report) => {
      if (report.kind === 'end') return;
      const percentage = Math.max(report.percentage ?? 0, done);
      progress.report({ message: report.message, increment: percentage - done });
      done = percentage;
    });
    try {
      return await client.sendRequest<T>(method, { ...params, workDoneToken }, token);
    } finally {
      reports.dispose();
    }
  }

  dispose(): void {
    void this.stop();
    this.lanesChanged.dispose();
    this.stopped.dispose();
    this.progressed.dispose();
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.starting = undefined;
    try {
      await client?.dispose();
    } catch {
      // It crashed: there is nothing to stop.
    }
    this.stopped.fire();
  }

  private async launch(): Promise<void> {
    const library = await import('vscode-languageclient');
    this.client = await this.home.connect(this.clientOptions(library));
    this.client.onNotification('warplens/lanesChanged', ({ uri }: { uri: string }) => this.lanesChanged.fire(uri));
    this.client.onNotification('warplens/runProgress', ({ uri, running }: { uri: string; running: RunProgress | null }) =>
      this.progress(uri, running),
    );
    this.client.onDidChangeState(({ newState }) => {
      if (newState !== library.State.Stopped) return;
      for (const uri of [...this.running.keys()]) this.progress(uri, null);
      this.stopped.fire();
    });
    await this.client.start();
  }

  /** Tells the server that launch files are there which it could not read when the document was opened. */
  private async offerFiles(files: vscode.Uri[]): Promise<void> {
    const changes = files.map((file) => ({ uri: file.toString(), type: 1 }));
    if (changes.length > 0) await this.client?.sendNotification('workspace/didChangeWatchedFiles', { changes });
  }

  private progress(uri: string, running: RunProgress | null): void {
    if (running) this.running.set(uri, running);
    else this.running.delete(uri);
    this.progressed.fire(uri);
  }

  /** Shows the lanes that a document showed before the server or the window was restarted. */
  private async restore(document: vscode.TextDocument): Promise<void> {
    const selection = LANGUAGES.includes(document.languageId) ? this.selections.of(document.uri.toString()) : undefined;
    if (!selection) return;
    try {
      await this.execute('warplens.selectLaunch', selection);
    } catch {
      this.selections.keep({ uri: selection.uri, launch: null }); // the launch no longer exists
    }
  }

  /** Restarts a crashed server and, if it keeps crashing, reports it once. */
  private errorHandler({ CloseAction, ErrorAction }: Library): ErrorHandler {
    return {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        const now = Date.now();
        this.crashes = [...this.crashes.filter((time) => now - time < CRASH_PERIOD), now];
        if (this.crashes.length < MAX_CRASHES) return { action: CloseAction.Restart, handled: true };
        this.crashes = [];
        void this.offerRestart();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private async offerRestart(): Promise<void> {
    const message = `Warplens: the language server crashed ${MAX_CRASHES} times in a few minutes and was not started again.`;
    const choice = await vscode.window.showErrorMessage(message, 'Restart', 'Show Log');
    if (choice === 'Restart') await this.restart();
    else if (choice === 'Show Log') this.log.show();
  }

  private clientOptions(library: Library): LanguageClientOptions {
    return {
      documentSelector: [...LANGUAGES.map((language) => ({ language })), { scheme: 'file', pattern: '**/warplens.toml' }],
      outputChannel: this.log,
      initializationOptions: {
        lenses: 'extension',
        lanesChanged: true,
        laneStrip: true,
        runProgress: true,
        inline: { languages: HOSTS, tokens: coloredHosts((id) => vscode.extensions.getExtension(id) !== undefined) },
      },
      errorHandler: this.errorHandler(library),
      middleware: {
        // After a restart the client reopens all documents.
        didOpen: async (document, next) => {
          await next(document);
          if (this.home.prepare) await this.offerFiles(await this.home.prepare(document));
          if (this.client?.isRunning()) void this.restore(document);
        },
        provideHover: async (document, position, token, next) => {
          const hover = await next(document, position, token);
          return hover && this.hoverLinks(hover, document.uri.toString(), position.line);
        },
        provideCodeLenses: async (document, token, next) => withDebug(await next(document, token)),
        executeCommand: async (command, args: unknown[], next) => {
          const result: unknown = await next(command, args);
          if (command === 'warplens.selectLaunch') this.selections.keep(args[0] as Selection);
          return result;
        },
        workspace: {
          didChangeWatchedFile: async (event, next) => {
            if (this.home.changed) await this.home.changed(vscode.Uri.parse(event.uri));
            await next(event);
          },
          configuration: async (params, token, next) => {
            const answer = await next(params, token);
            if (Array.isArray(answer)) (answer as unknown[]).forEach(setDisplay);
            return answer;
          },
        },
      },
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher('**/warplens.{toml,json}'),
      },
    };
  }
}

/** The most lenses above a kernel, as in the server: a narrow editor shows them all. */
const MOST_LENSES = 5;

/** Adds a lens *Debug* to the lenses above each kernel that has a launch; the last one, a shortcut, gives way. */
function withDebug(lenses: vscode.CodeLens[] | null | undefined): vscode.CodeLens[] | undefined {
  const all = lenses?.flatMap((lens) => {
    if (lens.command?.command !== 'warplens.pickLaunch') return [lens];
    const command = { title: 'Debug', command: 'warplens.debug', arguments: lens.command.arguments };
    return [new vscode.CodeLens(lens.range, command), lens];
  });
  return all?.filter(({ range }, at) => !all[at - MOST_LENSES]?.range.start.isEqual(range.start));
}

/** The server sends no hints where the extension draws the lanes. */
function setDisplay(section: unknown): void {
  const lanes = (section as { lanes?: { display?: string } } | null)?.lanes;
  if (lanes) lanes.display = display();
}
