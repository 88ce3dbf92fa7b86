// The pick lists of launches, warps and divergence models.
import * as vscode from 'vscode';
import { activeDocument, type LaneMasks, type Lanes, warpCount } from './lanes';
import { MODELS } from './models';
import type { Server } from './server';

export interface LaunchInfo {
  name: string;
  entry: string;
  /** The name of a mangled kernel in its source. */
  sourceName?: string;
  grid: number[];
  block: number[];
  source: 'toml' | 'comment' | 'inferred';
  problem?: string;
  /** Where it is written. */
  location?: { uri: string; range: { start: Position; end: Position } };
}

interface Position {
  line: number;
  character: number;
}

/** The source of a launch, as the pick list shows it. */
const SOURCES = { toml: 'from warplens.toml', comment: 'from a comment in this file', inferred: 'inferred from the kernel' };

export async function pickLaunch(server: Server, uri?: string, entry?: string): Promise<void> {
  const document = uri ?? activeDocument()?.uri.toString();
  if (!document) {
    void vscode.window.showInformationMessage('Warplens: open a .ptx or WAVE file to pick a launch for it.');
    return;
  }
  await server.start();
  const launches = await server.execute<LaunchInfo[]>('warplens.listLaunches', { uri: document, entry });
  if (!launches || launches.length === 0) {
    void vscode.window.showInformationMessage('Warplens: this file has no kernel to run.');
    return;
  }
  const picked = await vscode.window.showQuickPick(launches.map(launchItem), {
    title: 'Show the lanes of a launch',
    matchOnDescription: true,
  });
  if (!picked) return;
  const { launch } = picked;
  if (launch.problem) {
    void vscode.window.showErrorMessage(`Warplens: cannot run the launch “${launch.name}”: ${launch.problem}`);
    return;
  }
  await server.select({ uri: document, entry: launch.entry, launch: launch.name });
}

/** Runs the first launch of the active document. */
export async function runFirst(server: Server): Promise<void> {
  const uri = activeDocument()?.uri.toString();
  if (!uri) return;
  await server.start();
  await server.select({ uri });
}

function launchItem(launch: LaunchInfo): vscode.QuickPickItem & { launch: LaunchInfo } {
  return {
    label: `${launch.problem ? '$(error)' : '$(run)'} ${launch.name}`,
    description: `${launch.sourceName ?? launch.entry}: grid ${launch.grid.join(' x ')}, block ${launch.block.join(' x ')}`,
    detail: launch.problem ?? SOURCES[launch.source],
    launch,
  };
}

type WarpItem = vscode.QuickPickItem & { cta: number[]; warp: number };

/** Milliseconds after which a highlighted warp is shown. */
const PREVIEW_DELAY = 150;

/** The largest number of warps in the pick list. */
const WARPS_OFFERED = 1024;

export function pickWarp(server: Server, lanes: Lanes): void {
  const shown = lanes.current;
  if (!shown) {
    void vscode.window.showInformationMessage('Warplens: no lanes are shown; pick a launch first.');
    return;
  }
  const { uri, masks } = shown;
  const { entry, model, launch, cta, warp } = masks;
  const items = describe(warpItems(launch.grid, warpCount(masks)), masks);
  const current = items.find((item) => item.warp === warp && item.cta.join() === cta.join());
  pickWithPreview(items, current, (item) =>
    server.select({ uri, entry, launch: launch.name, cta: item.cta, warp: item.warp, model }),
  );
}

/** Runs the shown launch under another model, without changing the launch or the settings. */
export async function pickModel(server: Server, lanes: Lanes): Promise<void> {
  const shown = lanes.current;
  if (!shown) {
    void vscode.window.showInformationMessage('Warplens: no lanes are shown; pick a launch first.');
    return;
  }
  const language = activeDocument()?.languageId;
  const items = MODELS.filter((model) => model.language === language).map(({ name, rule }) => ({
    label: name,
    detail: rule,
    description: name === shown.masks.model ? 'shown now' : undefined,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Run under a divergence model' });
  if (!picked) return;
  const { entry, cta, warp, launch } = shown.masks;
  const model = picked.label;
  await server.select({ uri: shown.uri, entry, launch: launch.name, cta, warp, model });
}

function warpItems(grid: number[], warps: number): WarpItem[] {
  const [width = 1, height = 1, depth = 1] = grid;
  const count = Math.min(width * height * depth * warps, WARPS_OFFERED);
  return Array.from({ length: count }, (_, index) => {
    const warp = index % warps;
    const block = Math.floor(index / warps);
    const cta = [block % width, Math.floor(block / width) % height, Math.floor(block / (width * height))];
    return { label: `Block ${cta.join(',')}  warp ${warp}`, cta, warp };
  });
}

/** Marks the shown warp and those with findings, which are first. */
function describe(items: WarpItem[], masks: LaneMasks): WarpItem[] {
  const described = items.map((item) => {
    const is = ({ cta, warp }: { cta?: number[]; warp?: number }) => warp === item.warp && cta?.join() === item.cta.join();
    const findings = masks.findings.filter(is);
    const marks = [
      ...(is(masks) ? ['shown now'] : []),
      ...(findings.length > 0 ? [`${findings.length} finding${findings.length > 1 ? 's' : ''}: ${findings.map(({ code }) => code).join(', ')}`] : []),
    ];
    return { ...item, description: marks.join(' · '), hasFindings: findings.length > 0 };
  });
  return [...described.filter((item) => item.hasFindings), ...described.filter((item) => !item.hasFindings)];
}

/** Shows a list; the highlighted warp is shown at once, and the former one again if the list is cancelled. */
function pickWithPreview(items: WarpItem[], shown: WarpItem | undefined, show: (item: WarpItem) => Promise<void>): void {
  const pick = vscode.window.createQuickPick<WarpItem>();
  pick.title = 'Show the lanes of a warp';
  pick.matchOnDescription = true; // "finding" lists the warps with findings
  pick.items = items;
  if (shown) pick.activeItems = [shown];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let previewed = shown;
  pick.onDidChangeActive(([item]) => {
    clearTimeout(timer);
    if (!item || item === previewed) return;
    timer = setTimeout(() => {
      previewed = item;
      void show(item);
    }, PREVIEW_DELAY);
  });
  pick.onDidAccept(() => {
    clearTimeout(timer);
    const [picked] = pick.selectedItems;
    if (picked && picked !== previewed) void show(picked);
    previewed = undefined;
    pick.hide();
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    if (previewed && shown && previewed !== shown) void show(shown);
    pick.dispose();
  });
  pick.show();
}
