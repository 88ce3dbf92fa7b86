// How lanes are shown: drawn by the extension, or as inlay hints of the server.
import * as vscode from 'vscode';
import type { Position } from '../../shared/strip/shape';

/** How lanes are shown. Screen readers read text only. */
export function display(): 'strip' | 'text' {
  const settings = vscode.workspace.getConfiguration('warplens');
  const set = settings.inspect<'strip' | 'text'>('lanes.display');
  const isSet = [set?.globalValue, set?.workspaceValue, set?.workspaceFolderValue].some((value) => value !== undefined);
  const hasScreenReader = vscode.workspace.getConfiguration('editor').get('accessibilitySupport') === 'on';
  return hasScreenReader && !isSet ? 'text' : settings.get<'strip' | 'text'>('lanes.display', 'strip');
}

/** Where strips are drawn: before the code, or after it. */
export function position(): Position {
  return vscode.workspace.getConfiguration('warplens').get<Position>('lanes.position', 'left');
}
