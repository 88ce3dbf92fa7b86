// The control-flow graph with the paths of the warp.

import { button, h, icon } from '../dom';
import type { Graph } from '../generated/answers';
import { blockSize, draw } from '../graph/draw';
import { standalone } from '../graph/export';
import { type Layout, layout } from '../graph/layout';
import { count, lineRange, share } from '../lanes';
import type { Rows } from '../table';
import type { Stage, View } from '../view';

interface Content {
  graph: Graph;
  layout: Layout;
}

/** The last layout, with the graph and the direction that it is for. */
let kept: { key: string; layout: Layout } | undefined;

export const graphView: View<Content> = {
  label: 'Graph',
  followsStep: false,
  legend: (_, { graph }) => [
    '┄ divergent branch  > n: n branches reconverge  edge: threads  n×: visits  ▬ share of steps',
    graph.truncated ? '  truncated to 2,000 blocks' : null,
  ],

  async load(stage) {
    const graph = await stage.source.request('graph', {});
    if (!graph) throw new Error('The control-flow graph is not known.');
    const { isNarrow, isShort } = stage;
    const key = JSON.stringify([isNarrow, isShort, graph.blocks.length, graph.edges.map(({ from, to, threads }) => [from, to, threads])]);
    if (kept?.key !== key) {
      const start = performance.now();
      const direction = isNarrow ? 'TB' : 'LR';
      const placed = await layout({
        count: graph.blocks.length,
        edges: graph.edges,
        ...blockSize(stage),
        direction,
        between: isShort ? 8 : 18,
      });
      kept = { key, layout: placed };
      stage.source.painted?.(`layout of ${graph.blocks.length} blocks`, performance.now() - start);
    }
    return { graph, layout: kept.layout };
  },

  table: (_, { graph }) => blockTable(graph),
  row: (stage) => stage.masks?.block,

  draw(stage, { graph, layout: placed }) {
    const drawing = () => stage.root.querySelector('#graph') as SVGElement;
    const save = () => stage.source.save('control-flow.svg', standalone(drawing(), getComputedStyle(stage.root)));
    const saver = button('save-svg', 'Save the graph as SVG', [icon('save'), ' SVG'], save);
    return h(
      'div.graph-view',
      h('div.row.spread', h('span#block-sentence', sentence(stage, graph)), saver),
      h('div#graph-scroll.scroll-both', draw(stage, graph, placed)),
    );
  },

  drawn: reveal,

  moved(stage, { graph, layout: placed }) {
    stage.root.querySelector('#graph')?.replaceWith(draw(stage, graph, placed));
    const text = stage.root.querySelector('#block-sentence');
    if (text) text.textContent = sentence(stage, graph);
    reveal(stage);
  },

  key(stage, _, event) {
    const factor = { '+': 1.25, '=': 1.25, '-': 0.8 }[event.key];
    if (!factor) return false;
    stage.set({ zoom: Math.max(0.1, Math.min(4, stage.state.zoom * factor)) });
    return true;
  },
};

function blockTable({ blocks, edges, reconverges, steps }: Graph): Rows {
  const names = ['lines', 'visits', 'steps', 'share', 'lanes on average', 'diverged visits', 'reconverges at', 'to: threads'];
  const linesOf = (block: number) => lineRange(blocks[block]?.lines);
  const rows = blocks.map((block, at) => {
    const average = block.steps ? Number((block.active / block.steps).toFixed(1)) : 0;
    const joins = reconverges.filter(([from]) => from === at).map(([, to]) => linesOf(to));
    const targets = edges.filter(({ from }) => from === at).map(({ to, threads }) => `${linesOf(to)}: ${threads}`);
    const figures = [block.visits, block.steps, share(block.steps, steps), average, block.diverged];
    return [linesOf(at), ...figures, joins.join(', '), targets.join('; ')];
  });
  return [names, ...rows];
}

/** The current block in words. */
function sentence(stage: Stage, graph: Graph): string {
  const block = graph.blocks[stage.masks?.block ?? -1];
  if (!block) return '';
  const noun = block.lines && block.lines[0] !== block.lines[1] ? 'lines' : 'line';
  const visits = `diverged at ${block.diverged} of ${count(block.visits, 'visit')}`;
  const steps = `${count(block.steps, 'step')} (${share(block.steps, graph.steps)})`;
  const average = block.steps ? (block.active / block.steps).toFixed(1) : '0';
  return `${noun} ${lineRange(block.lines)}: ${visits} · ${steps} · ${average} lanes on average`;
}

/** Scrolls to the current block. */
function reveal(stage: Stage): void {
  const scroll = stage.root.querySelector<HTMLElement>('#graph-scroll');
  const block = stage.root.querySelector<SVGGElement>(`#block-${stage.masks?.block ?? -1}`);
  if (!scroll || !block) return;
  const [outer, inner] = [scroll.getBoundingClientRect(), block.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) scroll.scrollLeft += inner.left - outer.left - outer.width / 3;
  if (inner.top < outer.top || inner.bottom > outer.bottom) scroll.scrollTop += inner.top - outer.top - outer.height / 3;
}
