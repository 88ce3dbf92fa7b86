// The lanes panel below the code: a view that VS Code shows, hides and moves.
import * as vscode from 'vscode';
import type { Tab } from '../../../panel/src/messages';
import type { Server } from '../server';
import type { LaneStore } from '../store';
import { folder, pageOf } from './page';
import { Session } from './session';

/** The id of the view in package.json. */
const VIEW = 'warplens.panel';

export class LanesPanel implements vscode.WebviewViewProvider, vscode.Disposable {
  private session?: Session;
  private wanted?: Tab;
  private readonly registration: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly store: LaneStore,
    private readonly log: vscode.LogOutputChannel,
  ) {
    // Without `retainContextWhenHidden`: the page restores its state.
    this.registration = vscode.window.registerWebviewViewProvider(VIEW, this);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const session = new Session(view.webview, this.server, this.store, this.log);
    this.session?.dispose();
    this.session = session;
    if (this.wanted) session.show(this.wanted);
    this.wanted = undefined;
    view.onDidDispose(() => {
      session.dispose();
      if (this.session === session) this.session = undefined;
    });
    view.webview.options = { enableScripts: true, localResourceRoots: [folder(this.extension)] };
    view.webview.html = pageOf(view.webview, this.extension);
  }

  /** Shows the panel, at a tab if one is named; the focus stays in the editor. */
  async show(tab?: Tab): Promise<void> {
    if (tab) {
      if (this.session) this.session.show(tab);
      else this.wanted = tab;
    }
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  dispose(): void {
    this.session?.dispose();
    this.registration.dispose();
  }
}
