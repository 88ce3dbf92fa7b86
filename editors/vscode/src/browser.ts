// The entry point in a browser: the server is a worker, and nothing else can be run.
import * as vscode from 'vscode';
import { activateIn } from './extension';
import { BrowserWorker } from './home/worker';
import { inform } from './inform';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Warplens', { log: true });
  const python = vscode.commands.registerCommand('warplens.runPython', () =>
    inform('a browser cannot run Python files. Open the folder in VS Code on a computer.'),
  );
  activateIn(new BrowserWorker(context.extensionUri), context, log, [python]);
}
