// The lanes panel below the code: a view that VS Code shows, hides and moves.
import * as vscode from 'vscode';
import type { ShownElement, ShownPlace, Tab } from '../../../panel/src/messages';
import { folder, pageOf } from './page';
import { type Parts, Session, type ToShow } from './session';

/** The id of the view in package.json. */
const VIEW = 'warplens.panel';

export class LanesPanel implements vscode.WebviewViewProvider, vscode.Disposable {
  private session?: Session;
  /** What to show when VS Code shows the panel. */
  private wanted?: ToShow;
  private readonly registration: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly parts: Parts,
  ) {
    // Without `retainContextWhenHidden`: the page restores its state.
    this.registration = vscode.window.registerWebviewViewProvider(VIEW, this);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const session = new Session(view.webview, this.parts);
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
    if (tab) this.send({ type: 'show', tab });
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Shows an element of a buffer in the panel, now or when it is opened. */
  showElement(element: ShownElement): void {
    this.send({ type: 'element', ...element });
  }

  /** Shows a place in the run in the panel, now or when it is opened. */
  showPlace(place: ShownPlace): void {
    this.send({ type: 'place', ...place });
  }

  private send(message: ToShow): void {
    if (this.session) this.session.show(message);
    else this.wanted = message;
  }

  dispose(): void {
    this.session?.dispose();
    this.registration.dispose();
  }
}
