// Disposes what a class registered.
import * as vscode from 'vscode';

export class Registered implements vscode.Disposable {
  protected readonly subscriptions: vscode.Disposable[] = [];

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
