// The worker of reports: lays out the blocks in layers. A report holds no code of libraries, so this is a plain layout: a block is a
// layer after those that lead to it, and edges pass between the blocks of the layers on their way.
import type { Layout, LayoutRequest, Point } from './layout';
import { loopAbove } from './loop';

/** A block, or the place where an edge passes a layer. */
interface Item {
  block: number | null;
  layer: number;
  /** Its number in the layer. */
  order: number;
  /** Its middle, across the layers. */
  across: number;
  before: Item[];
  after: Item[];
}

const GAP = 24;
const BETWEEN_LAYERS = 34;
const MARGIN = 40;
const PASSAGE = 12;
const SWEEPS = 8;

onmessage = ({ data }: MessageEvent<LayoutRequest>) => postMessage(compute(data));

function compute({ count, edges, width, height, direction }: LayoutRequest): Layout {
  const blocks = Array.from({ length: count }, (_, block): Item => ({ block, layer: 0, order: 0, across: 0, before: [], after: [] }));
  const item = (block: number) => blocks[block] as Item;
  // Against the order of the text, an edge is laid out from its target.
  const forward = edges.map(({ from, to }) => [Math.min(from, to), Math.max(from, to)] as const);
  for (const [from, to] of [...forward].sort(([a], [b]) => a - b)) {
    if (from !== to) item(to).layer = Math.max(item(to).layer, item(from).layer + 1);
  }
  const layers: Item[][] = [];
  const place = (placed: Item) => (layers[placed.layer] ??= []).push(placed);
  blocks.forEach(place);
  const chains = forward.map(([from, to]) => chain(item(from), item(to), place));
  order(layers);
  const [along, across] = direction === 'LR' ? [width, height] : [height, width];
  const total = spread(layers, across);
  const depth = (layer: number) => MARGIN + layer * (along + BETWEEN_LAYERS) + along / 2;
  const point = (of: Item, by = 0, aside = 0): Point => {
    const [deep, wide] = [depth(of.layer) + by, of.across + aside];
    return direction === 'LR' ? { x: deep, y: wide } : { x: wide, y: deep };
  };
  const placed = edges.map(({ from, to }, at) => {
    if (from === to) return loopAbove(point(item(from)), width, height);
    const passed = chains[at] as Item[];
    const aside = from > to ? PASSAGE : 0;
    const points = passed.map((of, index) => point(of, index === 0 ? along / 2 : index === passed.length - 1 ? -along / 2 : 0, aside));
    return { points: from > to ? points.reverse() : points, label: middle(points) };
  });
  const size = [depth(layers.length - 1) + along / 2 + MARGIN, total] as const;
  const [w, h] = direction === 'LR' ? size : [size[1], size[0]];
  return { width: w, height: h, blocks: blocks.map((of) => point(of)), edges: placed };
}

/** The items of an edge: its blocks, and its passages through the layers between them. */
function chain(from: Item, to: Item, place: (item: Item) => void): Item[] {
  const items = [from];
  for (let layer = from.layer + 1; layer < to.layer; layer++) {
    const passage: Item = { block: null, layer, order: 0, across: 0, before: [], after: [] };
    place(passage);
    items.push(passage);
  }
  if (from !== to) items.push(to);
  items.slice(1).forEach((next, at) => {
    const last = items[at] as Item;
    last.after.push(next);
    next.before.push(last);
  });
  return items;
}

/** Sorts each layer by the mean place of the neighbours of its items, back and forth. */
function order(layers: Item[][]): void {
  const number = (layer: Item[]) => layer.forEach((item, at) => (item.order = at));
  const mean = (item: Item, side: 'before' | 'after') => {
    const near = item[side];
    return near.length ? near.reduce((sum, other) => sum + other.order, 0) / near.length : item.order;
  };
  layers.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      layer.sort((a, b) => mean(a, down ? 'before' : 'after') - mean(b, down ? 'before' : 'after'));
      number(layer);
    }
  }
}

/** Places the items of each layer beside one another, in the middle; returns the size of all. */
function spread(layers: Item[][], across: number): number {
  const size = ({ block }: Item) => (block === null ? PASSAGE : across);
  const sizes = layers.map((layer) => layer.reduce((sum, item) => sum + size(item) + GAP, -GAP));
  const total = Math.max(...sizes, 0) + 2 * MARGIN;
  layers.forEach((layer, at) => {
    let start = (total - (sizes[at] as number)) / 2;
    for (const item of layer) {
      item.across = start + size(item) / 2;
      start += size(item) + GAP;
    }
  });
  return total;
}

function middle(points: Point[]): Point {
  const at = (points.length - 1) / 2;
  const [a, b] = [points[Math.floor(at)] as Point, points[Math.ceil(at)] as Point];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
