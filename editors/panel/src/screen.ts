// The page of the panel: the frame, the view of the tab, the time line and the overview.
import { fill, h } from './dom';
import { caption, facts, legend, pickers, stepper, tabs, tools } from './frame';
import type { Tab } from './messages';
import { type Overview, overview } from './overview';
import { type Rows, tableOf } from './table';
import { TimelinePicture } from './timeline/picture';
import type { Controls } from './view';

/** The content of a tab, or the reason that there is none. */
export interface Shown {
  tab: Tab;
  content?: unknown;
  rows: Rows;
  problem?: string;
}

type Layout = 'narrow' | 'short' | 'wide';

export class Screen {
  private readonly parts = {
    header: h('div.row.spread.header'),
    tabs: h('div', { role: 'tablist', 'aria-label': 'Views' }),
    stepper: h('div.row'),
    tools: h('div.row'),
    caption: h('div.row.spread.caption'),
    dock: h('div.dock'),
    view: h('div.view', { role: 'tabpanel', id: 'view', tabindex: 0 }),
    overview: h('div.row.overview'),
    live: h('div.visually-hidden', { 'aria-live': 'polite' }),
  };
  private readonly picture: TimelinePicture;
  private whole?: Overview;
  private shown?: Shown;
  /** The layout of the page: it depends on its size. */
  private layout?: Layout;

  constructor(private readonly panel: Controls) {
    this.picture = new TimelinePicture(panel);
  }

  /** The rows of the table of what is shown. */
  get rows(): Rows {
    return this.shown?.rows ?? [];
  }

  /** Draws the content of a tab and everything around it. */
  show(shown: Shown): void {
    const isSameTab = this.shown?.tab === shown.tab;
    this.shown = shown;
    this.drawFrame();
    // The page keeps what it shows, and the focus, until there is something new.
    if (this.layout !== this.wanted()) this.arrange();
    this.drawView(shown, isSameTab);
  }

  /** The tab is marked at once; its content may take a while. */
  markTab(): void {
    if (this.shown && this.shown.tab !== this.panel.state.tab) this.drawFrame();
  }

  drawTabs(): void {
    fill(this.parts.tabs, tabs(this.panel));
  }

  /** After a move of the moment or the lane: what needs no request. */
  move(): void {
    this.drawMoment();
    this.whole?.move();
    this.picture.move();
    const { shown, panel } = this;
    if (!this.isLoaded(shown)) return;
    if (this.isTable) this.followRow(shown);
    else panel.views[shown.tab].moved?.(panel, shown.content);
  }

  /** Marks the row of the moment in the table, and keeps it in view. */
  private followRow({ tab, content }: Shown): void {
    const row = this.panel.views[tab].row?.(this.panel, content);
    const body = this.parts.view.querySelector('#twin tbody');
    const next = row === undefined ? null : body?.children[row];
    const before = body?.querySelector('tr.picked');
    if (!next || next === before) return;
    before?.classList.remove('picked');
    before?.removeAttribute('aria-current');
    next.classList.add('picked');
    next.setAttribute('aria-current', 'true');
    this.reveal(next);
  }

  /** Keeps a row in view. If the panel is a part of a page, only its view scrolls. */
  private reveal(row: Element): void {
    const { view } = this.parts;
    if (!this.panel.source.isPart) {
      row.scrollIntoView({ block: 'nearest' });
      return;
    }
    const [inside, outside] = [row.getBoundingClientRect(), view.getBoundingClientRect()];
    view.scrollTop += Math.max(inside.bottom - outside.bottom, 0) + Math.min(inside.top - outside.top, 0);
  }

  /** The stepper and the sentence about the statement. */
  drawMoment(): void {
    const { parts, panel, shown } = this;
    fill(parts.stepper, stepper(panel));
    const symbols = this.isDrawn(shown) ? panel.views[shown.tab].legend(panel, shown.content) : [];
    const explained = legend(panel, symbols);
    const sentence = caption(panel);
    // There is no room for a long one.
    if (panel.isShort) sentence.title = sentence.textContent ?? '';
    if (panel.isShort) fill(parts.caption, pickers(panel), sentence, facts(panel), explained);
    else fill(parts.caption, sentence, explained);
  }

  /** After a change of the window of the time line. */
  zoom(): void {
    this.picture.paint();
    this.whole?.move();
  }

  /** A sentence for screen readers. */
  say(text: string): void {
    this.parts.live.textContent = text;
  }

  /** Handles a key that only the view has; false if it has no meaning there. */
  key(event: KeyboardEvent): boolean {
    const { shown, panel } = this;
    return this.isDrawn(shown) && (panel.views[shown.tab].key?.(panel, shown.content, event) ?? false);
  }

  /** Beside the code the time line is always there, and its tab has the table. */
  private get isTable(): boolean {
    const { state, isNarrow } = this.panel;
    return state.table || (isNarrow && state.tab === 'timeline');
  }

  /** Whether the content of the chosen tab is on the page. */
  private isLoaded(shown: Shown | undefined): shown is Shown {
    return shown !== undefined && shown.problem === undefined && shown.tab === this.panel.state.tab;
  }

  /** Whether the view of the chosen tab is on the page, as a drawing. */
  private isDrawn(shown: Shown | undefined): shown is Shown {
    return this.isLoaded(shown) && !this.isTable;
  }

  private drawFrame(): void {
    const { parts, panel } = this;
    if (!panel.isShort) fill(parts.header, pickers(panel), facts(panel));
    this.drawTabs();
    fill(parts.tools, tools(panel));
    this.drawMoment();
    this.whole = overview(panel);
    fill(parts.overview, this.whole.elements);
    // In a low panel it is there only if the time line does not show the whole run itself.
    parts.overview.hidden = panel.isShort && panel.state.from === 0 && panel.state.to === null;
  }

  private wanted(): Layout {
    return this.panel.isNarrow ? 'narrow' : this.panel.isShort ? 'short' : 'wide';
  }

  /** The order of the parts depends on the size. */
  private arrange(): void {
    const { header, tabs, stepper, tools, caption, dock, view, overview, live } = this.parts;
    const { root } = this.panel;
    this.layout = this.wanted();
    for (const layout of ['narrow', 'short', 'wide']) root.classList.toggle(layout, layout === this.layout);
    if (this.layout === 'narrow') {
      fill(root, header, h('div.row.spread.bar', stepper, tools), dock, overview, h('div.bar', tabs), caption, view, live);
      return;
    }
    const bar = h('div.row.spread.bar', tabs, h('div.row', stepper, tools));
    fill(root, this.layout === 'wide' ? header : null, bar, caption, view, overview, live);
  }

  private drawView({ tab, content, problem }: Shown, isSameTab: boolean): void {
    const { panel, picture } = this;
    const { view: part, dock } = this.parts;
    const view = panel.views[tab];
    part.setAttribute('aria-label', view.label);
    const { scrollLeft, scrollTop } = part;
    if (problem !== undefined) fill(part, h('p#problem.dim', problem));
    else if (this.isTable) fill(part, tableOf(this.rows, view.label, view.row?.(panel, content)));
    else fill(part, tab === 'timeline' ? picture.element : view.draw(panel, content));
    if (this.layout === 'narrow' && dock.firstChild !== picture.element) fill(dock, picture.element);
    part.scrollLeft = isSameTab ? scrollLeft : 0;
    part.scrollTop = isSameTab ? scrollTop : 0;
    const isDrawn = this.isDrawn(this.shown);
    if (isDrawn) view.drawn?.(panel, content);
    if (this.layout === 'narrow' || (isDrawn && tab === 'timeline')) picture.paint();
    const picked = part.querySelector('tr.picked');
    if (picked && (!isDrawn || tab !== 'timeline')) this.reveal(picked);
    part.dataset.tab = tab;
    part.dataset.step = String(panel.state.step);
  }
}
