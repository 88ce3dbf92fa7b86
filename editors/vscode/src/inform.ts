// Messages to the user.
import * as vscode from 'vscode';

export function inform(message: string): void {
  void vscode.window.showInformationMessage(`Warplens: ${message}`);
}

export function warn(message: string): void {
  void vscode.window.showWarningMessage(`Warplens: ${message}`);
}

/** Shows a message in the status bar for a moment. */
export function informBriefly(message: string, milliseconds = 3000): void {
  void vscode.window.setStatusBarMessage(`Warplens: ${message}`, milliseconds);
}
