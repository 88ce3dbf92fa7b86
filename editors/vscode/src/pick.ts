// The pick lists of launches, warps and divergence models.
import * as vscode from 'vscode';
import { activeDocument, type Lanes, warpCount } from './lanes';
import { MODELS } from './models';
import type { Server } from './server';

interface LaunchInfo {
  name: string;
  entry: string;
  grid: number[];
  block: number[];
  source: 'toml' | 'comment' | 'inferred';
  problem?: string;
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

function launchItem(launch: LaunchInfo): vscode.QuickPickItem & { launch: LaunchInfo } {
  return {
    label: `${launch.problem ? '$(error)' : '$(run)'} ${launch.name}`,
    description: `${launch.entry}: grid ${launch.grid.join(' x ')}, block ${launch.block.join(' x ')}`,
    detail: launch.problem ?? SOURCES[launch.source],
    launch,
  };
}

/** The largest number of warps in the pick list. */
const WARPS_OFFERED = 1024;

export async function pickWarp(server: Server, lanes: Lanes): Promise<void> {
  const shown = lanes.current;
  if (!shown) {
    void vscode.window.showInformationMessage('Warplens: no lanes are shown; pick a launch first.');
    return;
  }
  const picked = await vscode.window.showQuickPick(warpItems(shown.masks.launch.grid, warpCount(shown.masks)), {
    title: 'Show the lanes of a warp',
  });
  if (!picked) return;
  const { name } = shown.masks.launch;
  const { entry, model } = shown.masks;
  const { cta, warp } = picked;
  await server.select({ uri: shown.uri, entry, launch: name, cta, warp, model });
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

function warpItems(grid: number[], warps: number): (vscode.QuickPickItem & { cta: number[]; warp: number })[] {
  const [width = 1, height = 1, depth = 1] = grid;
  const count = Math.min(width * height * depth * warps, WARPS_OFFERED);
  return Array.from({ length: count }, (_, index) => {
    const warp = index % warps;
    const block = Math.floor(index / warps);
    const cta = [block % width, Math.floor(block / width) % height, Math.floor(block / (width * height))];
    return { label: `Block ${cta.join(',')}  warp ${warp}`, cta, warp };
  });
}
