// The pick lists of launches and divergence models.
import * as vscode from 'vscode';
import { type LaneMasks, requestMasks, selectionOf } from '../../shared/masks';
import { activeDocument, activeEditor } from './active';
import type { ListedLaunch } from './generated/messages';
import { inform } from './inform';
import type { Lanes } from './lanes';
import type { Warps } from './pick_warp';
import { pickWithPreview } from './preview';
import type { Server } from './server';
import { countFindings } from './warp_list';

/** The source of a launch, as the pick list shows it. */
const SOURCES = {
  toml: 'from warplens.toml',
  comment: 'from a comment in this file',
  host: 'from host code',
  inferred: 'inferred from the kernel',
};

type LaunchItem = vscode.QuickPickItem & { launch: ListedLaunch };
/** A command for which the code lens has no room; without `run`, a line between items. */
type CommandItem = vscode.QuickPickItem & { run?: () => unknown };

export async function pickLaunch(server: Server, lanes: Lanes, uri?: string, entry?: string): Promise<void> {
  const document = uri ?? activeDocument()?.uri.toString();
  if (!document) return inform('open a .ptx or WAVE file to pick a launch for it.');
  await server.start();
  const launches = await server.execute<ListedLaunch[]>('warplens.listLaunches', { uri: document, entry });
  if (!launches || launches.length === 0) return inform('this file has no kernel to run.');
  const before = lanes.current?.uri === document ? lanes.current.masks : undefined;
  const items = launches.map(launchItem);
  const shown = items.find(({ launch }) => launch.name === before?.launch.name && launch.entry === before.entry);
  if (shown) {
    shown.description = `${shown.description} · shown now`;
    await addFigures(server, document, shown);
  }
  const redraw = pickWithPreview<LaunchItem | CommandItem>({
    title: 'Show the lanes of a launch',
    items: [...items, ...commandItems(server, document, entry, before)],
    shown,
    show: async (item, isAccepted) => {
      if (!('launch' in item)) {
        if (isAccepted) item.run?.();
        return;
      }
      const { name, entry, problem } = item.launch;
      if (problem) {
        if (isAccepted) void vscode.window.showErrorMessage(`Warplens: cannot run the launch “${name}”: ${problem}`);
        return;
      }
      await server.select({ uri: document, entry: entry ?? undefined, launch: name });
      await addFigures(server, document, item);
      redraw();
    },
    restore: () => server.select(before ? selectionOf(document, before) : { uri: document, launch: null }),
  });
}

/** What else can be done with a kernel. */
function commandItems(server: Server, uri: string, entry: string | undefined, shown: LaneMasks | undefined): CommandItem[] {
  const item = (icon: string, name: string, command: string, ...args: unknown[]): CommandItem => ({
    label: `$(${icon}) ${name}`,
    run: () => vscode.commands.executeCommand(command, ...args),
  });
  const items = [item('edit', 'Edit Launch', 'warplens.editLaunch', uri, entry)];
  if (shown) {
    items.push(item('graph-line', 'Show Lanes Panel', 'warplens.showPanel'));
    if (shown.output) items.push(item('output', 'Show Printed Text', 'warplens.showPanel', 'output'));
    items.push({ label: '$(debug-stop) Stop Showing Lanes', run: () => server.select({ uri, launch: null }) });
  }
  const isPtx = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri && document.languageId === 'ptx');
  if (isPtx && vscode.workspace.getConfiguration('warplens').get<string>('ptxas.path')) {
    items.push(item('open-preview', 'Open SASS Beside', 'warplens.openSass', uri, entry));
    items.push(item('diff', 'Compare with ptxas', 'warplens.compareWithPtxas', uri, entry));
  }
  return [{ label: 'Kernel', kind: vscode.QuickPickItemKind.Separator }, ...items];
}

/** Adds the result of a launch that is shown: `78 % active · 2 findings`. */
async function addFigures(server: Server, uri: string, item: LaunchItem): Promise<void> {
  // This request waits for the end of the run.
  const masks = await requestMasks(server, uri);
  const warps = await server.request<Warps | null>('warplens/warps', { textDocument: { uri } });
  if (!masks || !warps || warps.launch !== item.launch.name || warps.entry !== item.launch.entry) return;
  const findings = masks.findings.length > 0 ? ` · ${countFindings(masks.findings.length)}` : '';
  item.detail = `${SOURCES[item.launch.source]} · ${warps.active} % active${findings}`;
}

/** Runs the first launch of the kernel at the cursor. */
export async function runFirst(server: Server): Promise<void> {
  const uri = activeDocument()?.uri;
  if (!uri) return;
  await server.start();
  const entry = await kernelAt(uri, activeEditor()?.selection.active.line ?? 0);
  await server.select({ uri: uri.toString(), entry });
}

/** The last kernel that starts at or before the line, else the first one. Found by the code lenses above kernels. */
async function kernelAt(uri: vscode.Uri, line: number): Promise<string | undefined> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
  const kernels = lenses.flatMap(({ range, command }) =>
    command?.command === 'warplens.pickLaunch' ? [{ line: range.start.line, entry: command.arguments?.[1] as string }] : [],
  );
  return (kernels.findLast((kernel) => kernel.line <= line) ?? kernels[0])?.entry;
}

function launchItem(launch: ListedLaunch): LaunchItem {
  return {
    label: `${launch.problem ? '$(error)' : '$(run)'} ${launch.name}`,
    description: `${launch.sourceName ?? launch.entry}: grid ${launch.grid.join(' x ')}, block ${launch.block.join(' x ')}`,
    detail: launch.problem ?? SOURCES[launch.source],
    launch,
  };
}

/** Runs the shown launch under another model, without changing the launch or the settings. */
export async function pickModel(server: Server, lanes: Lanes): Promise<void> {
  const shown = lanes.current;
  if (!shown) return inform('no lanes are shown; pick a launch first.');
  const language = activeDocument()?.languageId;
  const items = server.models
    .filter((model) => model.language === language)
    .map(({ name, rule }) => ({
      label: name,
      detail: rule,
      description: name === shown.masks.model ? 'shown now' : undefined,
    }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Run under a divergence model' });
  if (!picked) return;
  await server.select({ ...selectionOf(shown.uri, shown.masks), model: picked.label });
}
