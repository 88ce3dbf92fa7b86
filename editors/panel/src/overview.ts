// The whole run: active lanes over steps, with the window of the time line and the moment.
import { h } from './dom';
import { grouped } from './lanes';
import type { Stage } from './view';

export interface Overview {
  elements: Node[];
  /** The window or the moment has moved. */
  move(): void;
}

const FULL_HEIGHT = 36;
const SHORT_HEIGHT = 14;

export function overview(stage: Stage): Overview {
  const { base } = stage;
  const height = stage.isShort ? SHORT_HEIGHT : FULL_HEIGHT;
  const width = Math.max(160, stage.root.clientWidth - (stage.isShort ? 24 : 170));
  const x = (step: number) => (step / Math.max(1, base.steps)) * width;
  const y = (lanes: number) => height - 2 - (lanes / base.width) * (height - 5);
  const each = base.overview_steps;
  const points = base.overview.map(
    (lanes, at) =>
      `L${x(at * each).toFixed(1)},${y(lanes).toFixed(1)}L${x(Math.min(base.steps, (at + 1) * each)).toFixed(1)},${y(lanes).toFixed(1)}`,
  );
  const area = h('path.active-lanes', { d: `M0,${y(0)}${points.join('')}L${width},${y(0)}Z` });
  const window = h('rect', { y: 1, height: height - 2, fill: 'none', stroke: 'var(--fg)' });
  const moment = h('path', { fill: 'var(--fg)', stroke: 'var(--fg)', 'stroke-width': 1.5 });
  const drag = (event: PointerEvent) => {
    if (!(event.buttons & 1)) return;
    const box = drawing.getBoundingClientRect();
    stage.goTo(((event.clientX - box.left) / width) * base.steps);
  };
  const drawing = h(
    'svg',
    {
      width,
      height,
      id: 'overview',
      tabindex: 0,
      role: 'slider',
      'aria-label': 'Step',
      'aria-valuemin': 1,
      'aria-valuemax': Math.max(1, base.steps),
      onpointerdown: drag,
      onpointermove: drag,
    },
    area,
    window,
    moment,
  );
  const move = () => {
    const { from, step } = stage.state;
    window.setAttribute('x', String(x(from) + 0.5));
    window.setAttribute('width', String(Math.max(2, x(stage.to) - x(from) - 1)));
    const at = x(step + 0.5).toFixed(1);
    moment.setAttribute('d', `M${at},0L${at},${height}M${Number(at) - 4},0L${Number(at) + 4},0L${at},5Z`);
    drawing.setAttribute('aria-valuenow', String(step + 1));
    drawing.setAttribute('aria-valuetext', `step ${grouped(step + 1)} of ${grouped(base.steps)}`);
  };
  move();
  const label = h('span.dim.label', h('span', 'active'), h('span', `0–${base.width}`));
  return { elements: [label, drawing, h('span.dim', `1–${grouped(base.steps)}`)], move };
}
