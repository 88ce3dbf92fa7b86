// The entry point on a computer: the server is a process.
import * as vscode from 'vscode';
import { activateIn } from './extension';
import { Process } from './home/process';
import { offerPython } from './python';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Warplens', { log: true });
  activateIn(new Process(context, log), context, log, [offerPython(context)]);
}
