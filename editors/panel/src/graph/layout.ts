// The layout of a graph, computed by a worker so that the panel can be used meanwhile.
import type { GraphEdge } from '../generated/answers';
import { grouped } from '../lanes';

/** The script of the worker, which the build puts here. */
declare const LAYOUT_WORKER: string;

export interface LayoutRequest {
  count: number;
  edges: GraphEdge[];
  width: number;
  height: number;
  direction: 'LR' | 'TB';
  /** The pixels between blocks of a layer. */
  between: number;
}

/** The width of the number of an edge. */
export function labelWidth({ threads }: GraphEdge): number {
  return grouped(threads).length * 6.6 + 6;
}

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  width: number;
  height: number;
  /** The middle of each block. */
  blocks: Point[];
  /** The points of each edge, and the middle of its number. */
  edges: { points: Point[]; label: Point }[];
}

/** Runs the worker; rejects with its message. */
export function layout(request: LayoutRequest): Promise<Layout> {
  const address = URL.createObjectURL(new Blob([LAYOUT_WORKER], { type: 'text/javascript' }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return new Promise<Layout>((resolve, reject) => {
    worker.onmessage = (event: MessageEvent<Layout>) => resolve(event.data);
    worker.onerror = (event) => reject(new Error(`The layout of the graph failed: ${event.message}`));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
