// The worker that lays out the blocks of a graph in layers, with dagre.
import { graphlib, layout } from '@dagrejs/dagre';
import { type Layout, type LayoutRequest, labelWidth, type Point } from './layout';
import { placeLabels } from './place_labels';

/** Graphs with more blocks use a faster way to assign layers. */
const LARGE = 120;

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(compute(data)));

function compute(request: LayoutRequest): Layout {
  const { count, edges, width, height, direction, between } = request;
  const ranker = count > LARGE ? 'tight-tree' : 'network-simplex';
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: between, edgesep: 12, ranksep: 34, marginx: 12, marginy: 12, ranker });
  for (let block = 0; block < count; block++) graph.setNode(String(block), { width, height });
  edges.forEach((edge, at) => {
    const label = { width: labelWidth(edge), height: 14, labelpos: 'c', weight: edge.threads ? 2 : 1 };
    graph.setEdge(String(edge.from), String(edge.to), label, String(at));
  });
  layout(graph);
  const middle = (block: number) => point(graph.node(String(block)) as Point);
  const size = graph.graph() as { width?: number; height?: number };
  const blocks = Array.from({ length: count }, (_, block) => middle(block));
  const drawn = edges.map((edge, at) => {
    const { from, to } = edge;
    const placed = graph.edge(String(from), String(to), String(at)) as Point & { points: Point[] };
    const preferred = point(placed);
    const points = from === to ? loop(middle(from), preferred, request) : placed.points.map(point);
    return { points, preferred, width: labelWidth(edge) };
  });
  const labels = placeLabels(drawn, blocks, request);
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    blocks,
    edges: drawn.map(({ points, preferred }, at) => ({ points, label: labels[at] ?? preferred })),
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
