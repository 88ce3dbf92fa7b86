// A class that listens to events until it is disposed.
import * as vscode from 'vscode';

export class Subscriber implements vscode.Disposable {
  protected readonly subscriptions: vscode.Disposable[] = [];

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
