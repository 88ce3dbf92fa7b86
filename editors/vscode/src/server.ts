// The process of the language server: finds its program, starts and stops it, and sends requests.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';
import { LANGUAGES } from './languages';

/** A command that the server registers. */
export type ServerCommand = 'warplens.selectLaunch' | 'warplens.listLaunches' | 'warplens.selectVisit';

export class Server implements vscode.Disposable {
  private client?: LanguageClient;
  private starting?: Promise<void>;
  private readonly lanesChanged = new vscode.EventEmitter<void>();

  /** Fires when the lanes of a document change, including when they are removed. */
  readonly onDidChangeLanes = this.lanesChanged.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

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

  /** Runs a command of the server; undefined while there is no server. */
  execute<T>(command: ServerCommand, argument: object): Promise<T | undefined> {
    return this.request<T>('workspace/executeCommand', { command, arguments: [argument] });
  }

  /** Sends a request; undefined while there is no server. */
  async request<T>(method: string, params: object): Promise<T | undefined> {
    return this.client?.isRunning() ? this.client.sendRequest<T>(method, params) : undefined;
  }

  dispose(): void {
    void this.stop();
    this.lanesChanged.dispose();
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.starting = undefined;
    await client?.dispose();
  }

  private async launch(): Promise<void> {
    const program = findProgram(this.context);
    this.log.info(`server: ${program}`);
    const level = vscode.workspace.getConfiguration('warplens').get<string>('server.logLevel', 'warn');
    const options: ServerOptions = {
      command: program,
      args: ['lsp'],
      options: { env: { ...process.env, WARPLENS_LOG: process.env.WARPLENS_LOG ?? level } },
    };
    this.client = new LanguageClient('warplens', 'Warplens', options, this.clientOptions());
    this.client.onNotification('warplens/lanesChanged', () => this.lanesChanged.fire());
    await this.client.start();
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: LANGUAGES.map((language) => ({ language })),
      outputChannel: this.log,
      initializationOptions: { lenses: 'extension', lanesChanged: true },
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher('**/warplens.{toml,json}'),
      },
    };
  }
}

/** The server's program: the setting, the one packed with the extension, or the one on PATH, in this order. */
function findProgram(context: vscode.ExtensionContext): string {
  const name = process.platform === 'win32' ? 'warplens.exe' : 'warplens';
  const setting = vscode.workspace.getConfiguration('warplens').get<string>('server.path', '');
  if (setting !== '') {
    if (isProgram(setting)) return setting;
    throw new Error(`the program in the setting warplens.server.path, ${setting}, cannot be executed`);
  }
  const bundled = context.asAbsolutePath(join('server', name));
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  const found = [bundled, ...onPath].find(isProgram);
  if (!found) {
    throw new Error('this package contains no server for your platform; build one with `cargo build --release` and set warplens.server.path');
  }
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
