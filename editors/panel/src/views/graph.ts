// The control-flow graph with the paths of the warp.
import { button, h, icon } from '../dom';
import { BLOCK, BLOCK_WITH_CODE, draw } from '../graph/draw';
import { standalone } from '../graph/export';
import { type Layout, layout } from '../graph/layout';
import { count, lineRange, share } from '../lanes';
import type { Graph } from '../messages';
import type { Panel } from '../panel';
import type { View } from '../view';

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

  async load(panel) {
    const graph = await panel.source.request('graph', {});
    if (!graph) throw new Error('The control-flow graph is not known.');
    const isNarrow = panel.isNarrow;
    const key = JSON.stringify([isNarrow, graph.blocks.length, graph.edges.map(({ from, to, threads }) => [from, to, threads])]);
    if (kept?.key !== key) {
      const start = performance.now();
      const size = isNarrow ? BLOCK_WITH_CODE : BLOCK;
      const placed = await layout({
        count: graph.blocks.length,
        edges: graph.edges,
        ...size,
        direction: isNarrow ? 'TB' : 'LR',
      });
      kept = { key, layout: placed };
      panel.source.painted?.(`layout of ${graph.blocks.length} blocks`, performance.now() - start);
    }
    return { graph, layout: kept.layout };
  },

  table: (_, { graph }) => [
    ['lines', 'visits', 'steps', 'share', 'lanes on average', 'diverged visits', 'reconverges at', 'to: threads'],
    ...graph.blocks.map((block, at) => {
      const to = graph.edges
        .filter((edge) => edge.from === at)
        .map((edge) => `${lineRange(graph.blocks[edge.to]?.lines)}: ${edge.threads}`);
      const joins = graph.reconverges.filter(([from]) => from === at).map(([, point]) => lineRange(graph.blocks[point]?.lines));
      return [
        lineRange(block.lines),
        block.visits,
        block.steps,
        share(block.steps, graph.steps),
        block.steps ? Number((block.active / block.steps).toFixed(1)) : 0,
        block.diverged,
        joins.join(', '),
        to.join('; '),
      ];
    }),
  ],
  row: (panel) => panel.masks?.block,

  draw(panel, { graph, layout: placed }) {
    const save = () =>
      panel.source.save('control-flow.svg', standalone(panel.root.querySelector('#graph') as SVGElement, getComputedStyle(panel.root)));
    return h(
      'div',
      { class: 'graph-view' },
      h(
        'div',
        { class: 'row spread' },
        h('span', { id: 'block-sentence' }, sentence(panel, graph)),
        button('save-svg', 'Save the graph as SVG', [icon('save'), ' SVG'], save),
      ),
      h('div', { class: 'scroll-both', id: 'graph-scroll' }, draw(panel, graph, placed)),
    );
  },

  drawn: (panel) => reveal(panel),

  moved(panel, { graph, layout: placed }) {
    panel.root.querySelector('#graph')?.replaceWith(draw(panel, graph, placed));
    const text = panel.root.querySelector('#block-sentence');
    if (text) text.textContent = sentence(panel, graph);
    reveal(panel);
  },

  key(panel, _, event) {
    const factor = { '+': 1.25, '=': 1.25, '-': 0.8 }[event.key];
    if (!factor) return false;
    panel.set({ zoom: Math.max(0.1, Math.min(4, panel.state.zoom * factor)) });
    return true;
  },
};

/** The current block in words. */
function sentence(panel: Panel, graph: Graph): string {
  const block = graph.blocks[panel.masks?.block ?? -1];
  if (!block) return '';
  const average = block.steps ? (block.active / block.steps).toFixed(1) : '0';
  const noun = block.lines && block.lines[0] !== block.lines[1] ? 'lines' : 'line';
  return `${noun} ${lineRange(block.lines)}: diverged at ${block.diverged} of ${count(block.visits, 'visit')} · ${count(block.steps, 'step')} (${share(block.steps, graph.steps)}) · ${average} lanes on average`;
}

/** Scrolls to the current block. */
function reveal(panel: Panel): void {
  const scroll = panel.root.querySelector<HTMLElement>('#graph-scroll');
  const block = panel.root.querySelector<SVGGElement>(`#block-${panel.masks?.block ?? -1}`);
  if (!scroll || !block) return;
  const [outer, inner] = [scroll.getBoundingClientRect(), block.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) scroll.scrollLeft += inner.left - outer.left - outer.width / 3;
  if (inner.top < outer.top || inner.bottom > outer.bottom) scroll.scrollTop += inner.top - outer.top - outer.height / 3;
}
