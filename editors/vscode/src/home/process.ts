// The server as a process.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';
import type { ServerOptions } from 'vscode-languageclient/node';
import type { Home } from './home';

export class Process implements Home {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  program(): string {
    return findProgram(this.context);
  }

  async connect(options: LanguageClientOptions): Promise<BaseLanguageClient> {
    const program = this.program();
    this.log.info(`server: ${program}`);
    const level = vscode.workspace.getConfiguration('warplens').get<string>('server.logLevel', 'warn');
    const server: ServerOptions = {
      command: program,
      args: ['lsp'],
      options: { env: { ...process.env, WARPLENS_LOG: process.env.WARPLENS_LOG ?? level } },
    };
    // Loaded only now, because most of the extension's code is in it and windows without our documents do not need it.
    const { LanguageClient } = await import('vscode-languageclient/node');
    return new LanguageClient('warplens', 'Warplens', server, options);
  }
}

/** The server's program: the setting, the one packed with the extension, or the one on PATH, in this order. */
export function findProgram(context: vscode.ExtensionContext): string {
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
    throw new Error(
      'this package contains no server for your platform; build one with `cargo build --release` and set warplens.server.path',
    );
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
