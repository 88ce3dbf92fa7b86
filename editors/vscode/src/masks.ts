// The lanes of a document, as the server sends them.
import type { Selection } from './selections';
import type { Server } from './server';

/** The answer of `warplens/laneMasks`; docs/lsp-extensions.md documents it. */
export interface LaneMasks {
  version: number;
  entry: string;
  /** The name of a mangled kernel in its source. */
  source_name?: string;
  launch: { name: string; grid: number[]; block: number[]; wave_width?: number };
  model: string;
  status: string;
  /** Whether the text was edited since, and now has an error that stops a run. */
  outdated?: boolean;
  /** Whether it is the first part of a run that is in progress or was stopped. */
  partial?: boolean;
  findings: Finding[];
  cta: number[];
  warp: number;
  /** The chosen visit. */
  visit?: { line: number; number: number };
  /** The lanes that exist. */
  launched: string;
  lines: LaneLine[];
  /** The lines of statements that the warp never reached. */
  not_run: number[];
  /** The printed text. */
  output?: string;
}

/** A finding of the run, or a check of the launch that failed. */
export interface Finding {
  code: string;
  severity: string;
  message: string;
  line?: number;
  cta?: number[];
  warp?: number;
  /** The visit of the line by the warp; absent for the last one. */
  visit?: number;
  related: { line: number; message: string }[];
}

/** A statement that was reached. */
export interface LaneLine {
  line: number;
  count: number;
  visits: { active: string; executed: string; repeat: number }[];
  /** The effect on groups of lanes. */
  role?: 'branch' | 'join';
  /** The sizes of the groups after a statement with several targets. */
  parts?: number[];
  truncated?: boolean;
}

/** What the server sends: statements share traces, because large kernels have tens of thousands of lines. */
interface CompactMasks extends Omit<LaneMasks, 'lines'> {
  traces: Omit<LaneLine, 'line'>[];
  /** The line of a statement, and the number of its trace. */
  places: [line: number, trace: number][];
}

/** The lanes that a document shows; null without a launch, undefined while there is no server. */
export async function requestMasks(server: Server, uri: string): Promise<LaneMasks | null | undefined> {
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
