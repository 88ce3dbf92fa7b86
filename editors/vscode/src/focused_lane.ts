// The lane whose values hovers and watches show while a kernel is being debugged, in the status bar.
import * as vscode from 'vscode';
import { TYPE } from './debugged';
import { Subscriber } from './subscriber';

export class FocusedLane extends Subscriber {
  private readonly item = vscode.window.createStatusBarItem('warplens.lane', vscode.StatusBarAlignment.Right, 88);
  /** By session; a session without an entry shows all lanes. */
  private readonly lanes = new WeakMap<vscode.DebugSession, number>();

  constructor() {
    super();
    this.item.name = 'Warplens Focused Lane';
    this.item.command = 'warplens.pickLane';
    this.item.tooltip = 'The lane whose values hovers and watches show';
    this.subscriptions.push(
      this.item,
      vscode.debug.onDidChangeActiveDebugSession(() => this.refresh()),
    );
    this.refresh();
  }

  /** The lane of the active session. */
  get lane(): number | undefined {
    const session = vscode.debug.activeDebugSession;
    return session && this.lanes.get(session);
  }

  async pick(): Promise<void> {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== TYPE) return;
    const typed = await vscode.window.showInputBox({
      title: 'Pick Lane',
      prompt: 'The lane whose values hovers and watches show; empty for all lanes',
      value: String(this.lane ?? ''),
      validateInput: (text) => (/^\s*\d*\s*$/.test(text) ? undefined : 'a number of a lane, or nothing'),
    });
    if (typed === undefined) return;
    const lane = typed.trim() === '' ? undefined : Number(typed);
    await session.customRequest('warplens/focusLane', { lane: lane ?? null });
    if (lane === undefined) this.lanes.delete(session);
    else this.lanes.set(session, lane);
    this.refresh();
  }

  private refresh(): void {
    this.item.text = this.lane === undefined ? 'All lanes' : `Lane ${this.lane}`;
    if (vscode.debug.activeDebugSession?.type === TYPE) this.item.show();
    else this.item.hide();
  }
}
