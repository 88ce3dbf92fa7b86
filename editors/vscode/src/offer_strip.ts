// Offers to draw lanes that would be inlay hints, where these are switched off.
import * as vscode from 'vscode';
import { display } from './display';
import type { LaneStore } from './store';

export function offerStrip(store: LaneStore): vscode.Disposable {
  let offered = false;
  return store.onDidChange(async (uri) => {
    const hints = vscode.workspace.getConfiguration('editor').get<string>('inlayHints.enabled');
    if (offered || hints !== 'off' || display() !== 'text' || !store.of(uri)) return;
    offered = true;
    const choice = await vscode.window.showInformationMessage(
      'Warplens: the lanes are inlay hints, which are switched off in the settings.',
      'Show lanes anyway',
    );
    if (!choice) return;
    await vscode.workspace.getConfiguration('warplens').update('lanes.display', 'strip', vscode.ConfigurationTarget.Global);
  });
}
