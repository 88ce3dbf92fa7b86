// The lanes of a document, as the server sends them.
import type { Masks, PlacedTraces, Trace } from '../panel/src/generated/answers';
import type { Selection } from '../vscode/src/generated/messages';

/** The lanes of a document: one warp of a run. */
export type LaneMasks = Masks & { lines: LaneLine[] };

/** A statement that was reached. */
export type LaneLine = Trace & { line: number };

/** What the server sends: statements share traces, because large kernels have tens of thousands of lines. */
type CompactMasks = Masks & PlacedTraces;

/** What sends requests to the server. */
export interface Requester {
  request<T>(method: string, params: object): Promise<T | undefined>;
}

/** The lanes that a document shows; null without a launch, undefined while there is no server. */
export async function requestMasks(server: Requester, uri: string): Promise<LaneMasks | null | undefined> {
  const params = { textDocument: { uri }, compact: true, partial: true };
  const masks = await server.request<CompactMasks | null>('warplens/laneMasks', params);
  return masks && { ...masks, lines: expand(masks) };
}

function expand({ traces, places }: CompactMasks): LaneLine[] {
  return places.flatMap(([line, number]) => {
    const trace = traces[number];
    return trace ? [{ ...trace, line }] : [];
  });
}

/** The number of warps in a block of this launch. */
export function warpCount(masks: LaneMasks): number {
  const threads = masks.launch.block.reduce((product, length) => product * length, 1);
  return Math.ceil(threads / (masks.launch.wave_width ?? 32));
}

/** The selection that shows these lanes. */
export function selectionOf(uri: string, masks: LaneMasks): Selection {
  const { entry, launch, cta, warp, model } = masks;
  return { uri, entry, launch: launch.name, cta, warp, model };
}

/** `<<<2, 64>>>` */
export function shapeOf({ grid, block }: LaneMasks['launch']): string {
  return `<<<${size(grid)}, ${size(block)}>>>`;
}

/** A size without its trailing dimensions of one. */
function size(dimensions: number[]): string {
  const last = dimensions.findLastIndex((length) => length !== 1);
  const kept = dimensions.slice(0, Math.max(last + 1, 1));
  return kept.length > 1 ? `(${kept.join(',')})` : `${kept[0] ?? 1}`;
}
