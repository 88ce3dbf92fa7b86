// The pick list of the warps of a run.
import type { WarpSummaries } from '../../panel/src/generated/answers';
import type { Warp } from '../../panel/src/messages';
import { selectionOf, warpCount } from '../../shared/masks';
import type { WarpsOfRun } from './generated/messages';
import { inform } from './inform';
import type { Lanes } from './lanes';
import { pickWithPreview } from './preview';
import type { Server } from './server';
import { type ListedWarp, listWarps } from './warp_list';

/** The answer of `warplens/warps`. */
export type Warps = WarpSummaries & WarpsOfRun;

export async function pickWarp(server: Server, lanes: Lanes): Promise<void> {
  const shown = lanes.current;
  if (!shown) return inform('no lanes are shown; pick a launch first.');
  const { uri, masks } = shown;
  const { launch, cta, warp } = masks;
  const answer = await server.request<Warps | null>('warplens/warps', { textDocument: { uri } });
  const items = listWarps(launch.grid, warpCount(masks), answer?.warps ?? [], masks);
  const show = ({ cta, warp }: Warp) => server.select({ ...selectionOf(uri, masks), cta, warp });
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
