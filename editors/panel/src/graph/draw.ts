// Draws the control-flow graph.

import { type Attributes, type Child, h } from '../dom';
import type { Graph, GraphBlock, GraphEdge } from '../generated/answers';
import { grouped, lanesOf, lineRange, share } from '../lanes';
import type { Stage } from '../view';
import { type Layout, labelWidth, type Point } from './layout';

/** The size of a block, with the first line of code where it fits. */
const BLOCK = { width: 110, height: 60 };
const BLOCK_WITH_CODE = { width: 190, height: 76 };
const LOW_BLOCK = { width: 110, height: 38 };
/** The width of a character of a label. */
const DIGIT = 7.2;

export function blockSize({ isNarrow, isShort }: Stage): { width: number; height: number } {
  return isNarrow ? BLOCK_WITH_CODE : isShort ? LOW_BLOCK : BLOCK;
}

export function draw(stage: Stage, graph: Graph, layout: Layout): SVGElement {
  const current = stage.masks?.block;
  const { zoom } = stage.state;
  const [width, height] = [Math.ceil(layout.width), Math.ceil(layout.height)];
  const most = Math.max(1, ...graph.edges.map((edge) => edge.threads));
  const link = graph.reconverges.filter(([from]) => from === current);
  return h(
    'svg#graph.graph',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: Math.ceil(layout.width * zoom),
      height: Math.ceil(layout.height * zoom),
      viewBox: `0 0 ${width} ${height}`,
      role: 'group',
      'aria-label': `Control-flow graph of ${graph.blocks.length} blocks. The table has the same numbers.`,
    },
    h('defs', arrow('arrow', 'var(--fg)'), arrow('arrow-never', 'var(--wire)'), hatches()),
    graph.edges.map((edge, at) => drawEdge(edge, layout.edges[at], most)),
    graph.edges.map((edge, at) => drawNumber(edge, layout.edges[at])),
    link.map(([from, to]) => drawLink(layout.blocks[from], layout.blocks[to])),
    graph.blocks.map((block, at) => drawBlock(stage, graph, block, at, layout.blocks[at])),
  );
}

function arrow(id: string, colour: string): SVGElement {
  return h(
    'marker',
    { id, viewBox: '0 0 8 8', refX: 7.5, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto' },
    h('path', { d: 'M0,0L8,4L0,8Z', fill: colour }),
  );
}

/** The hatches of the time line as patterns. */
function hatches(): SVGElement[] {
  const lines = ['', 'M-2,2L2,-2M0,8L8,0M6,10L10,6', 'M-2,6L2,10M0,0L8,8M6,-2L10,2', ''];
  return [0, 1, 2, 3].flatMap((hue) =>
    [1, 2, 3].map((kind) =>
      h(
        'pattern',
        { id: `hatch-${hue}-${kind}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse' },
        h('rect', { width: 8, height: 8, fill: `var(--b${hue})` }),
        kind === 3
          ? h('circle', { cx: 4, cy: 4, r: 1.3, fill: 'var(--bg)' })
          : h('path', { d: lines[kind] ?? '', stroke: 'var(--bg)', 'stroke-width': 1.5 }),
      ),
    ),
  );
}

function fillOf(block: number): string {
  const kind = (block + Math.floor(block / 4)) % 4;
  return kind ? `url(#hatch-${block % 4}-${kind})` : `var(--b${block % 4})`;
}

function drawEdge({ threads, diverged }: GraphEdge, placed: Layout['edges'][number] | undefined, most: number): Child {
  if (!placed) return null;
  return h('path', {
    d: curve(placed.points),
    fill: 'none',
    stroke: threads ? 'var(--fg)' : 'var(--wire)',
    'stroke-width': threads ? 1 + 3.5 * (threads / most) : 0.7,
    'stroke-dasharray': diverged ? '6 4' : null,
    'marker-end': `url(#${threads ? 'arrow' : 'arrow-never'})`,
  });
}

/** The threads of an edge, on the lines of all edges. */
function drawNumber(edge: GraphEdge, placed: Layout['edges'][number] | undefined): Child[] {
  if (!placed) return [];
  const { x, y } = placed.label;
  const width = labelWidth(edge);
  return [
    h('rect.edge-number', { x: x - width / 2, y: y - 7, width, height: 14, fill: 'var(--bg)' }),
    h('text', { x, y: y + 4, 'text-anchor': 'middle', class: edge.threads ? null : 'dim' }, grouped(edge.threads)),
  ];
}

/** A smooth line through the points. */
function curve(points: Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${at(first)}`;
  rest.forEach((point, index) => {
    const next = rest[index + 1];
    path += next ? `Q${at(point)} ${at({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}` : `L${at(point)}`;
  });
  return path;
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

/** From the current branch to the block at which its lanes reconverge. */
function drawLink(from: Point | undefined, to: Point | undefined): Child {
  if (!from || !to) return null;
  const middle = { x: (from.x + to.x) / 2, y: Math.max(from.y, to.y) + 56 };
  return h('path', {
    d: `M${at({ x: from.x, y: from.y + 26 })}Q${at(middle)} ${at({ x: to.x, y: to.y + 26 })}`,
    fill: 'none',
    stroke: 'var(--accent)',
    'stroke-dasharray': '2 4',
    'stroke-width': 2,
  });
}

function drawBlock(stage: Stage, graph: Graph, block: GraphBlock, number: number, middle: Point | undefined): Child {
  if (!middle) return null;
  const { width, height } = blockSize(stage);
  const [x, y] = [middle.x - width / 2, middle.y - height / 2];
  const isCurrent = stage.masks?.block === number;
  const frame = isCurrent ? { stroke: 'var(--fg)', 'stroke-width': 3 } : { stroke: 'var(--wire)', 'stroke-width': 1 };
  const joins = graph.reconverges.filter(([, to]) => to === number).length;
  const line = block.lines?.[0];
  const label = line === undefined ? undefined : stage.source.label(line);
  const bar = { x: x + 14, y: y + height - (stage.isShort ? 8 : 20), height: 5 };
  const visits = `${grouped(block.visits)}×${joins ? `  > ${joins}` : ''}`;
  const name = [
    h('tspan', { 'font-weight': 600 }, lineRange(block.lines)),
    label ? h('tspan.dim', ` ${shortened(label, (width - 22) / DIGIT - lineRange(block.lines).length)}`) : null,
  ];
  const below = { x: x + 14, y: y + (stage.isShort ? 26 : 32), class: block.visits ? null : 'dim' };
  return h(
    'g.block',
    { id: `block-${number}`, tabindex: 0, role: 'button', ...activation(stage, block) },
    h('title', nameOf(graph, block, label, joins, isCurrent)),
    h('rect', { x, y, width, height, rx: 4, fill: 'var(--bg)', ...frame }),
    h('rect', { x: x + 1, y: y + 1, width: 8, height: height - 2, fill: fillOf(number) }),
    h('text', { x: x + 14, y: y + (stage.isShort ? 13 : 16) }, name),
    h('text', below, visits),
    stage.isNarrow && line !== undefined ? h('text.mono.dim', { x: x + 14, y: y + 47 }, stage.source.statement(line).slice(0, 24)) : null,
    h('rect', { ...bar, width: width - 20, fill: 'var(--rule)' }),
    h('rect', { ...bar, width: ((width - 20) * block.steps) / Math.max(1, graph.steps), fill: 'var(--fg)' }),
    isCurrent && !stage.isShort ? drawLanes(stage, x + 14, y + height - 12, width - 20) : null,
  );
}

/** The end of a label, which differs most in the output of compilers, in at most so many characters. */
function shortened(label: string, most: number): string {
  return label.length > most ? `…${label.slice(1 - Math.max(2, Math.floor(most)))}` : label;
}

function nameOf({ steps }: Graph, block: GraphBlock, label: string | undefined, joins: number, isCurrent: boolean): string {
  const counts = `${block.visits} visits, ${share(block.steps, steps)} of steps`;
  return `${label ? `${label}, l` : 'L'}ines ${lineRange(block.lines)}, ${counts}${joins ? `, reconvergence of ${joins}` : ''}${isCurrent ? ', current' : ''}`;
}

/** A click on a block, or Enter, goes to its last visit. */
function activation(stage: Stage, { lines, visits }: GraphBlock): Attributes {
  const go = () => {
    if (!lines) return;
    if (visits) void stage.goToLine(lines[0]);
    else stage.source.reveal?.(lines[0], false);
  };
  const onkeydown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    go();
  };
  return { onclick: go, onkeydown };
}

/** The active lanes of the moment. */
function drawLanes(stage: Stage, x: number, y: number, width: number): Child {
  const pitch = width / stage.base.width;
  const cell = { y, width: Math.max(0.8, pitch - 0.5), height: 7, fill: 'var(--lane)' };
  return lanesOf(stage.masks?.active ?? '').map((lane) => h('rect', { x: x + lane * pitch, ...cell }));
}
