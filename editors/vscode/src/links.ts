// Links in the hover of a line with lanes: to its visits, and to the warp and the other side of its finding.
import * as vscode from 'vscode';
import { activeEditor } from './active';
import { moveCursor } from './cursor';
import { REGISTER } from './languages';
import type { LaneStore } from './store';
import type { Named } from './why';

const COMMANDS = ['warplens.goToVisit', 'warplens.showFinding', 'warplens.goToLine', 'warplens.showPanel', 'warplens.why'];

/** The hover of the server with links. */
export function withLinks(hover: vscode.Hover, uri: string, line: number, store: LaneStore): vscode.Hover {
  const masks = store.of(uri);
  const lane = masks?.lines.find((candidate) => candidate.line === line);
  const findings = (masks?.findings ?? []).filter((finding) => finding.line === line);
  const links = [
    ...(lane && lane.count > 1 ? [link('Choose a visit', 'warplens.goToVisit', line)] : []),
    ...(findings.length > 0 ? [link('Show the warp of the finding', 'warplens.showFinding', line)] : []),
    ...findings
      .flatMap(({ related }) => related)
      .map((other) => link(`Line ${other.line + 1}: ${other.message}`, 'warplens.goToLine', other.line)),
  ];
  if (lane) links.push(link('Open the lanes panel', 'warplens.showPanel', 'registers'));
  const register = lane && registerOf(hover, uri);
  if (register) links.push(link(`Why does a lane hold ${register}?`, 'warplens.why', { line, register }));
  if (links.length === 0) return hover;
  const text = new vscode.MarkdownString([...new Set(links)].join(' · '));
  text.isTrusted = { enabledCommands: COMMANDS };
  return new vscode.Hover([...hover.contents, text], hover.range);
}

/** The register that a hover is about. */
function registerOf({ range }: vscode.Hover, uri: string): string | undefined {
  const document = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
  const text = range && document?.getText(range);
  return text && REGISTER.exec(text)?.[0] === text ? text : undefined;
}

function link(title: string, command: string, argument: number | string | Named): string {
  const escaped = title.replace(/\s+/g, ' ').replace(/[\\[\]`*_<>&~|!$@:]/g, '\\$&');
  return `[${escaped}](command:${command}?${encodeURIComponent(JSON.stringify([argument]))})`;
}

/** Moves the cursor to a line of the active editor. */
export function goToLine(line: number): void {
  const editor = activeEditor();
  if (!editor || line >= editor.document.lineCount) return;
  moveCursor(editor, line);
}
