// One launch in two documents: PTX and its machine code show the same warp.
import { type LaneMasks, selectionOf } from '../../shared/masks';
import type { Server } from './server';
import type { LaneStore } from './store';
import { Subscriber } from './subscriber';

/** PTX and its machine code. */
interface Pair {
  ptx: string;
  sass: string;
  /** The launch and the warp that both show. */
  shown?: string;
  /** Whether a selection is in progress: until it ends, the documents may show different warps. */
  isSelecting: boolean;
}

export class SameLaunch extends Subscriber {
  private readonly pairs = new Map<string, Pair>();

  constructor(
    private readonly server: Server,
    private readonly store: LaneStore,
  ) {
    super();
    this.subscriptions.push(
      store.onDidChange((uri) => {
        for (const pair of this.pairs.values()) {
          if (uri === pair.ptx) void this.followPtx(pair);
          else if (uri === pair.sass) void this.followSass(pair);
        }
      }),
    );
  }

  /** From now on, the machine code of a PTX document shows the launch of the PTX. */
  pair(ptx: string, sass: string): void {
    const pair = this.pairs.get(sass) ?? { ptx, sass, isSelecting: false };
    this.pairs.set(sass, pair);
    void this.followPtx(pair);
  }

  /** The machine code of a PTX document was made again. */
  again(ptx: string): void {
    for (const pair of this.pairs.values()) {
      if (pair.ptx !== ptx) continue;
      pair.shown = undefined;
      void this.followPtx(pair);
    }
  }

  /** The document with the machine code was closed. */
  unpair(sass: string): void {
    this.pairs.delete(sass);
  }

  private async followPtx(pair: Pair): Promise<void> {
    if (pair.isSelecting) return;
    const masks = this.store.of(pair.ptx);
    const shown = masks && keyOf(masks);
    if (shown === pair.shown) return;
    pair.shown = shown;
    const { ptx, sass } = pair;
    await this.select(pair, () => {
      const selection = masks ? { uri: sass, launchOf: ptx, cta: masks.cta, warp: masks.warp } : { uri: sass, launch: null };
      return this.server.execute('warplens.selectLaunch', selection);
    });
  }

  /** Another warp of the same launch was selected in the machine code. */
  private async followSass(pair: Pair): Promise<void> {
    const [ptx, sass] = [this.store.of(pair.ptx), this.store.of(pair.sass)];
    if (pair.isSelecting || !pair.shown || !ptx || !sass || !isSameLaunch(ptx, sass)) return;
    const { cta, warp } = sass;
    if (warp === ptx.warp && cta.join() === ptx.cta.join()) return;
    pair.shown = keyOf({ ...ptx, cta, warp });
    await this.select(pair, () => this.server.select({ ...selectionOf(pair.ptx, ptx), cta, warp }));
  }

  private async select(pair: Pair, select: () => Promise<unknown>): Promise<void> {
    pair.isSelecting = true;
    try {
      await select();
      const textDocument = { uri: pair.sass };
      // This request waits for the end of the run.
      await this.server.request('warplens/laneMasks', { textDocument });
    } catch {
      pair.shown = undefined; // A document was closed, or does not run with this launch.
      return;
    } finally {
      pair.isSelecting = false;
    }
    await this.followPtx(pair);
  }
}

function isSameLaunch(a: LaneMasks, b: LaneMasks): boolean {
  return a.entry === b.entry && a.launch.name === b.launch.name;
}

/** What is the same in both documents. */
function keyOf({ entry, launch, cta, warp }: LaneMasks): string {
  return JSON.stringify([entry, launch, cta, warp]);
}
