// The time line: one canvas for the lanes, and one for the moment and the lane, so that scrubbing does not repaint the lanes.
import { h } from '../dom';
import { grouped } from '../lanes';
import type { Controls } from '../view';
import { coloursOf } from './colours';
import { paintCursor } from './cursor';
import { type Geometry, geometryOf, LEFT } from './geometry';
import { paintLanes } from './paint';
import { paintingOf } from './painting';
import { stepsOf } from './steps';

export class TimelinePicture {
  private readonly lanes = h('canvas', { role: 'img', id: 'lanes' }) as unknown as HTMLCanvasElement;
  private readonly cursor = h('canvas', { 'aria-hidden': 'true', id: 'cursor' }) as unknown as HTMLCanvasElement;
  readonly element = h('div.stack', this.lanes, this.cursor);

  constructor(private readonly panel: Controls) {
    this.cursor.addEventListener('pointerdown', (event) => {
      this.cursor.setPointerCapture(event.pointerId);
      this.choose(event);
    });
    this.cursor.addEventListener('pointermove', (event) => this.choose(event));
    this.cursor.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  paint(): void {
    const { panel } = this;
    if (!panel.base || !this.element.isConnected) return;
    const geometry = this.geometry();
    const start = performance.now();
    const { page, state } = panel;
    const window = { from: state.from, to: panel.to };
    const colours = coloursOf(getComputedStyle(panel.root));
    const labelOf = (line: number) => panel.source.label(line);
    paintLanes(paintingOf(context(this.lanes, geometry), page, window, geometry, colours, labelOf));
    const more = page.truncated ? ' Not all marks are shown: there are too many.' : '';
    const steps = `steps ${grouped(window.from + 1)} to ${grouped(window.to)}`;
    this.lanes.setAttribute('aria-label', `Time line of ${steps}. The table has the same numbers.${more}`);
    this.move();
    panel.source.painted?.('time line', performance.now() - start);
  }

  /** Repaints the moment and the lane. */
  move(): void {
    const { panel } = this;
    if (!this.element.isConnected) return;
    const geometry = this.geometry();
    paintCursor(context(this.cursor, geometry), panel.page, panel.state, geometry, coloursOf(getComputedStyle(panel.root)));
  }

  private geometry(): Geometry {
    const { base, state, to, root, isNarrow, page } = this.panel;
    const around = this.element.parentElement ?? root;
    const width = Math.max(280, around.clientWidth - 4);
    // Only the page of the editor has a height of its own.
    const isFixed = !isNarrow && document.body.classList.contains('warplens-webview');
    const height = isFixed ? around.clientHeight - 1 : Infinity;
    return geometryOf(width, height, base.width, base.width > 32 ? 3 : isNarrow ? 4 : 6, stepsOf(state.from, to, page.repeats));
  }

  private choose(event: PointerEvent): void {
    if (!(event.buttons & 1)) return;
    const start = performance.now();
    const { panel } = this;
    const box = this.cursor.getBoundingClientRect();
    const { scale, y, rows, steps } = this.geometry();
    const [across, down] = [event.clientX - box.left, event.clientY - box.top];
    if (event.type === 'pointerdown' && down >= rows.lanes) {
      for (let lane = 0; lane < panel.base.width; lane++) if (down >= y(lane)) panel.state.lane = lane;
    }
    panel.goTo(Math.min(panel.to - 1, Math.max(panel.state.from, Math.floor(steps.at((across - LEFT) / scale)))));
    panel.source.painted?.('scrub', performance.now() - start);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.cursor.getBoundingClientRect();
    const { scale, steps } = this.geometry();
    const delta = event.deltaY || event.deltaX;
    if (event.shiftKey) this.panel.pan(Math.round(delta / scale));
    else this.panel.zoom(delta > 0 ? 1.25 : 0.8, steps.at((event.clientX - box.left - LEFT) / scale));
  }
}

/** The cleared context of a canvas in the size and the resolution of the page. */
function context(canvas: HTMLCanvasElement, { width, height }: Geometry): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const drawing = canvas.getContext('2d') as CanvasRenderingContext2D;
  drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawing.clearRect(0, 0, width, height);
  return drawing;
}
