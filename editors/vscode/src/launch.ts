// Edits launches: opens the launch that is shown or picked, or writes the inferred one.
import * as vscode from 'vscode';
import type { TextEdit } from 'vscode-languageclient';
import { messageOf } from '../../panel/src/messages';
import type { LaneMasks } from '../../shared/masks';
import { activeDocument, editorAt, editorOf } from './active';
import type { Draft, ExpectedBuffer, ListedLaunch } from './generated/messages';
import { inform } from './inform';
import type { Lanes } from './lanes';
import type { Server } from './server';
import type { LaneStore } from './store';

/** Opens a launch of the document, or writes the inferred one where none is configured. */
export async function editLaunch(server: Server, lanes: Lanes, uri?: string, entry?: string): Promise<void> {
  const document = uri ?? activeDocument()?.uri.toString();
  if (!document) return inform('open a .ptx or WAVE file to edit a launch of it.');
  await server.start();
  const launches = (await server.execute<ListedLaunch[]>('warplens.listLaunches', { uri: document, entry })) ?? [];
  const located = launches.filter((launch) => launch.location);
  const written = located.filter((launch) => launch.source !== 'host');
  const shown = lanes.current?.uri === document ? lanes.current.masks : undefined;
  const current = located.find((launch) => shown && launch.name === shown.launch.name && launch.entry === shown.entry);
  if (current) return open(current, document);
  if (written.length === 0 || shown?.launch.name === 'inferred') return write(server, document, entry ?? shown?.entry, shown);
  if (written.length === 1) return open(written[0], document);
  const items = written.map((launch) => ({ label: launch.name, description: launch.sourceName ?? launch.entry ?? undefined, launch }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Edit a launch' });
  if (picked) await open(picked.launch, document);
}

async function open(launch: ListedLaunch | undefined, kernel: string): Promise<void> {
  if (!launch?.location) return;
  const { uri, range } = launch.location;
  const selection = new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
  await show(await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)), kernel, selection);
}

/** Shows a document in its existing editor, if any: a walkthrough or another view may be active beside it. A launch file opens beside the kernel. */
function show(document: vscode.TextDocument, kernel: string, selection?: vscode.Range): Thenable<vscode.TextEditor> {
  const column = editorAt(kernel)?.viewColumn;
  const beside = document.uri.toString() === kernel || column === undefined ? undefined : column + 1;
  return vscode.window.showTextDocument(document, { selection, viewColumn: editorOf(document)?.viewColumn ?? beside });
}

/** Writes the inferred launch where the user chooses, selects its name, and shows the lanes of the warp that is `shown` under it. */
async function write(server: Server, document: string, entry?: string, shown?: LaneMasks): Promise<void> {
  const draft = await server.execute<Draft>('warplens.draftLaunch', { uri: document, entry });
  if (draft) await writeDraft(server, document, draft, shown);
}

async function writeDraft(server: Server, document: string, draft: Draft, shown?: LaneMasks): Promise<void> {
  const file = draft.launchFile
    ? vscode.Uri.parse(draft.launchFile)
    : vscode.Uri.joinPath(vscode.Uri.parse(document), '..', 'warplens.toml');
  const places = [
    { label: '$(file) warplens.toml', description: draft.launchFile ? 'appends the launch' : 'creates the file', isFile: true },
    { label: '$(comment) Comment above the kernel', description: '@launch', isFile: false },
  ];
  const place = await vscode.window.showQuickPick(places, { title: `Write the inferred launch of ${draft.entry}` });
  if (!place) return;
  if (place.isFile) await append(file, draft.table, draft.launchFile !== null, document);
  else await insertAbove(vscode.Uri.parse(document), draft);
  const warp = shown?.entry === draft.entry ? { cta: shown.cta, warp: shown.warp } : {};
  await server.select({ uri: document, entry: draft.entry, launch: draft.name, ...warp });
}

/** Makes the launch that is shown expect what a buffer holds. A launch file is saved, because the lanes follow the saved file. */
export async function expectBuffer(server: Server, store: LaneStore, document: string, buffer: string): Promise<void> {
  try {
    const answer = await server.execute<ExpectedBuffer>('warplens.expectBuffer', { uri: document, buffer });
    if (answer?.draft) return await writeDraft(server, document, answer.draft, store.of(document));
    for (const [uri, edits] of Object.entries(answer?.edit?.changes ?? {})) await applyEdits(vscode.Uri.parse(uri), edits, document);
  } catch (error) {
    inform(`${buffer} cannot be expected: ${messageOf(error)}`);
  }
}

async function applyEdits(uri: vscode.Uri, edits: TextEdit[], kernel: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) {
    const { start, end } = range;
    edit.replace(uri, new vscode.Range(start.line, start.character, end.line, end.character), newText);
  }
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.workspace.applyEdit(edit);
  if (document.uri.toString() !== kernel) await document.save();
}

async function append(file: vscode.Uri, table: string, exists: boolean, kernel: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  if (!exists) edit.createFile(file, { ignoreIfExists: true });
  await vscode.workspace.applyEdit(edit);
  const document = await vscode.workspace.openTextDocument(file);
  const last = document.lineAt(document.lineCount - 1);
  const before = document.getText() === '' ? '' : last.text === '' ? '\n' : '\n\n';
  const insertion = new vscode.WorkspaceEdit();
  insertion.insert(file, last.range.end, before + table);
  await vscode.workspace.applyEdit(insertion);
  await document.save(); // the lanes follow the saved file
  const at = document.positionAt(document.getText().length - table.length);
  await selectName(document, at.line, kernel);
}

async function insertAbove(uri: vscode.Uri, draft: Draft): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const line = draft.line ?? 0;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(line, 0), `${draft.comment}\n`);
  await vscode.workspace.applyEdit(edit);
  await selectName(document, line, document.uri.toString());
}

/** Selects the name of the launch that is written from a line on. */
async function selectName(document: vscode.TextDocument, line: number, kernel: string): Promise<void> {
  const editor = await show(document, kernel);
  for (let at = line; at < Math.min(line + 3, document.lineCount); at++) {
    const name = /name = "([^"]*)"/.exec(document.lineAt(at).text);
    if (!name) continue;
    const start = name.index + 'name = "'.length;
    editor.selection = new vscode.Selection(at, start, at, start + (name[1]?.length ?? 0));
    editor.revealRange(editor.selection);
    return;
  }
}
