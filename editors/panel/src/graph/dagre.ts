// The worker: lays out the blocks in layers with dagre.
import { graphlib, layout } from '@dagrejs/dagre';
import type { Layout, LayoutRequest, Point } from './layout';
import { loopAbove } from './loop';

/** More blocks get the faster way to assign layers. */
const LARGE = 120;

onmessage = ({ data }: MessageEvent<LayoutRequest>) => postMessage(compute(data));

function compute({ count, edges, width, height, direction }: LayoutRequest): Layout {
  const hasLoops = edges.some(({ from, to }) => from === to);
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: direction,
    nodesep: hasLoops ? 36 : 18,
    edgesep: 12,
    ranksep: 34,
    marginx: 12,
    marginy: hasLoops ? 40 : 12,
    ranker: count > LARGE ? 'tight-tree' : 'network-simplex',
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (let block = 0; block < count; block++) graph.setNode(String(block), { width, height });
  edges.forEach(({ from, to, threads }, at) => {
    if (from === to) return;
    graph.setEdge(
      String(from),
      String(to),
      { width: 8 + String(threads).length * 7, height: 14, labelpos: 'c', weight: threads ? 2 : 1 },
      String(at),
    );
  });
  layout(graph);
  const placed = edges.map(({ from, to }, at) => {
    if (from === to) return loopAbove(graph.node(String(from)) as Point, width, height);
    const { points, x, y } = graph.edge(String(from), String(to), String(at)) as {
      points: { x: number; y: number }[];
      x: number;
      y: number;
    };
    return { points: points.map((point) => ({ x: point.x, y: point.y })), label: { x, y } };
  });
  const size = graph.graph() as { width?: number; height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    blocks: Array.from({ length: count }, (_, block) => {
      const { x, y } = graph.node(String(block)) as { x: number; y: number };
      return { x, y };
    }),
    edges: placed,
  };
}
