// Open Source Beside: the source that a file was compiled from, with the lines that belong to each other highlighted.
import * as vscode from 'vscode';
import { activeDocument } from './active';
import { inform } from './inform';
import { fileOf, type LinkedDocuments } from './linked';
import type { Server } from './server';

/** Opens the source of the line with the cursor. */
export async function openSource(server: Server, linked: LinkedDocuments): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = activeDocument();
  if (!editor || !document) return inform('open a .ptx or .sass file to open its source.');
  await server.start();
  const lines = await linked.link(document);
  const at = editor.selection.active.line;
  const place = lines[at] ?? lines.slice(at).find((line) => line) ?? lines.find((line) => line);
  if (!place)
    return inform(
      'no source was found. PTX needs .loc and .file directives (nvcc -lineinfo), SASS the comments of nvdisasm -g or -gp; the file must be at its path, beside this document or in the workspace.',
    );
  const source = await vscode.workspace.openTextDocument(fileOf(place.uri));
  const beside = await vscode.window.showTextDocument(source, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  beside.revealRange(new vscode.Range(place.line, 0, place.line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  linked.light(editor);
}
