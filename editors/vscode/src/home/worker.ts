// The server as a worker of the browser. It cannot read files, so it gets the launch files of each document before it, and the files that
// these name.
import * as vscode from 'vscode';
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';
import { toServer } from './addresses';
import type { Home } from './home';
import type { ToWorker } from './server_worker';

declare global {
  class Worker {
    constructor(address: string);
    postMessage(message: ToWorker): void;
    terminate(): void;
  }
}

const LAUNCH_FILES = ['warplens.toml', 'warplens.json'];
/** Folders above a document that may have its launch file. */
const MAX_FOLDERS = 32;
/** A larger file of a buffer is not read. */
const MAX_BYTES = 16_000_000;
/** The files that a launch file names, but patterns and kernels. */
const NAMED = /\bfile"?\s*[=:]\s*"([^"*?[{]+)"/g;
const KERNEL = /\.(ptx|wave|sass)$/i;

export class BrowserWorker implements Home {
  private worker?: Worker;
  /** The contents of the files that the server may read, by address. */
  private readonly files = new Map<string, Uint8Array>();

  constructor(private readonly extension: vscode.Uri) {}

  program(): string {
    throw new Error('a browser cannot run programs; open the folder in VS Code on a computer');
  }

  async connect(options: LanguageClientOptions): Promise<BaseLanguageClient> {
    const { LanguageClient } = await import('vscode-languageclient/browser');
    return new LanguageClient('warplens', 'Warplens', () => this.start(), options);
  }

  async prepare(document: vscode.TextDocument): Promise<void> {
    if (document.isUntitled) return;
    let folder = vscode.Uri.joinPath(document.uri, '..');
    const reads: Promise<void>[] = [];
    for (let count = 0; count < MAX_FOLDERS; count++) {
      for (const name of LAUNCH_FILES) reads.push(this.give(vscode.Uri.joinPath(folder, name)));
      const above = vscode.Uri.joinPath(folder, '..');
      if (above.path === folder.path || isRoot(folder)) break;
      folder = above;
    }
    await Promise.all(reads);
  }

  async changed(file: vscode.Uri): Promise<void> {
    await this.give(file);
  }

  /** Gives the server a launch file and what it names, or says that there is none any more. */
  private async give(file: vscode.Uri): Promise<void> {
    const bytes = await contents(file);
    if (!bytes && !this.files.has(file.toString())) return;
    this.send(file, bytes);
    if (!bytes) return;
    const names = [...new TextDecoder().decode(bytes).matchAll(NAMED)].map(([, name = '']) => name).filter((name) => !KERNEL.test(name));
    const folder = vscode.Uri.joinPath(file, '..');
    const named = [...new Set(names)].map((name) => vscode.Uri.joinPath(folder, name));
    await Promise.all(named.map(async (other) => this.send(other, await contents(other))));
  }

  private send(file: vscode.Uri, bytes: Uint8Array | undefined): void {
    const address = file.toString();
    if (bytes) this.files.set(address, bytes);
    else this.files.delete(address);
    this.worker?.postMessage({ file: toServer(address), bytes });
  }

  private async start(): Promise<Worker> {
    const folder = vscode.Uri.joinPath(this.extension, 'out');
    const wasm = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, 'warplens.wasm'));
    this.worker?.terminate();
    const worker = new Worker(vscode.Uri.joinPath(folder, 'server-worker.js').toString(true));
    worker.postMessage({ wasm });
    for (const [address, bytes] of this.files) worker.postMessage({ file: toServer(address), bytes });
    this.worker = worker;
    return worker;
  }
}

/** Whether a folder is one of the workspace, above which no launch file applies that the browser could see. */
function isRoot(folder: vscode.Uri): boolean {
  return vscode.workspace.workspaceFolders?.some(({ uri }) => uri.toString() === folder.toString()) ?? false;
}

async function contents(file: vscode.Uri): Promise<Uint8Array | undefined> {
  try {
    const { size } = await vscode.workspace.fs.stat(file);
    return size <= MAX_BYTES ? await vscode.workspace.fs.readFile(file) : undefined;
  } catch {
    return undefined; // There is no such file.
  }
}
