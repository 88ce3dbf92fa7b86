// The pick list of the warps of a run.
import * as vscode from 'vscode';
import type { WarpSummaries } from '../../panel/src/generated/answers';
import type { Lanes } from './lanes';
import { selectionOf, warpCount } from './masks';
import { pickWithPreview } from './preview';
import type { Server } from './server';
import { type ListedWarp, listWarps } from './warp_list';

/** The answer of `warplens/warps`. */
export type Warps = WarpSummaries & { entry: string; launch: string };

export async function pickWarp(server: Server, lanes: Lanes): Promise<void> {
  const shown = lanes.current;
  if (!shown) {
    void vscode.window.showInformationMessage('Warplens: no lanes are shown; pick a launch first.');
    return;
  }
  const { uri, masks } = shown;
  const { launch, cta, warp } = masks;
  const answer = await server.request<Warps | null>('warplens/warps', { textDocument: { uri } });
  const items = listWarps(launch.grid, warpCount(masks), answer?.warps ?? [], masks);
  const show = (item: { cta: number[]; warp: number }) => server.select({ ...selectionOf(uri, masks), cta: item.cta, warp: item.warp });
  pickWithPreview<ListedWarp>({
    title: 'Show the lanes of a warp',
    items,
    shown: items.find((item) => item.warp === warp && item.cta.join() === cta.join()),
    filters: [
      { title: 'Diverged', icon: 'git-branch', accepts: ({ diverged }) => diverged },
      { title: 'Has findings', icon: 'warning', accepts: ({ findings }) => findings > 0 },
    ],
    show,
    restore: () => show({ cta, warp }),
  });
}
