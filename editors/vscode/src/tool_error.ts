// The message of a request that needs an external tool.
import * as vscode from 'vscode';
import { messageOf } from '../../panel/src/messages';

/** Shows why a request failed; if a setting is named, with a button that opens it. */
export function showToolError(error: unknown): void {
  const reason = messageOf(error);
  const [setting] = /\bwarplens\.\w+\.\w+/.exec(reason) ?? [];
  const buttons = setting ? ['Open Settings'] : [];
  void vscode.window.showErrorMessage(`Warplens: ${reason}`, ...buttons).then((choice) => {
    if (choice) void vscode.commands.executeCommand('workbench.action.openSettings', setting);
  });
}
