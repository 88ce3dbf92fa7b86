// The worker that lays out the blocks of a graph in layers, with dagre.
import { graphlib, layout } from '@dagrejs/dagre';
import type { Layout, LayoutRequest, Point } from './layout';

/** Graphs with more blocks use a faster way to assign layers. */
const LARGE = 120;

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(compute(data)));

function compute(request: LayoutRequest): Layout {
  const { count, edges, width, height, direction } = request;
  const ranker = count > LARGE ? 'tight-tree' : 'network-simplex';
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 18, edgesep: 12, ranksep: 34, marginx: 12, marginy: 12, ranker });
  for (let block = 0; block < count; block++) graph.setNode(String(block), { width, height });
  edges.forEach(({ from, to, threads }, at) => {
    const label = { width: 8 + String(threads).length * 7, height: 14, labelpos: 'c', weight: threads ? 2 : 1 };
    graph.setEdge(String(from), String(to), label, String(at));
  });
  layout(graph);
  const middle = (block: number) => point(graph.node(String(block)) as Point);
  const size = graph.graph() as { width?: number; height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    blocks: Array.from({ length: count }, (_, block) => middle(block)),
    edges: edges.map(({ from, to }, at) => {
      const edge = graph.edge(String(from), String(to), String(at)) as Point & { points: Point[] };
      const label = point(edge);
      return { points: from === to ? loop(middle(from), label, request) : edge.points.map(point), label };
    }),
  };
}

function point({ x, y }: Point): Point {
  return { x, y };
}

/** From a block to itself, through the number beside it. Dagre places only the number. */
function loop({ x, y }: Point, label: Point, { width, height, direction }: LayoutRequest): Point[] {
  const side = (sign: number, isOut: boolean): Point =>
    direction === 'LR'
      ? { x: x - sign * (width / 4 + (isOut ? 4 : 0)), y: isOut ? label.y : y + height / 2 }
      : { x: isOut ? label.x : x + width / 2, y: y + sign * (height / 4 + (isOut ? 4 : 0)) };
  return [side(-1, false), side(-1, true), label, side(1, true), side(1, false)];
}
