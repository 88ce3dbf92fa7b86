// How lanes are shown: drawn by the extension, or as inlay hints of the server.
import * as vscode from 'vscode';
import type { LaneStore } from './store';

/** How lanes are shown. Screen readers read text only. */
export function display(): 'strip' | 'text' {
  const settings = vscode.workspace.getConfiguration('warplens');
  const set = settings.inspect<'strip' | 'text'>('lanes.display');
  const isSet = [set?.globalValue, set?.workspaceValue, set?.workspaceFolderValue].some((value) => value !== undefined);
  const hasScreenReader = vscode.workspace.getConfiguration('editor').get('accessibilitySupport') === 'on';
  return hasScreenReader && !isSet ? 'text' : settings.get<'strip' | 'text'>('lanes.display', 'strip');
}

/** Offers to draw lanes that would be inlay hints, where these are switched off. */
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
