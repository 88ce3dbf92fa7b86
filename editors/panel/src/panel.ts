// The lanes panel: its parts, its state, and the moment that all views show. It draws what the server counts.
import { fill, h } from './dom';
import { caption, header, marksOf, stepper, tabs, tools } from './frame';
import { handleKey } from './keys';
import { grouped, runAt } from './lanes';
import type { Moment, Tab, Timeline } from './messages';
import { type Overview, overview } from './overview';
import { Pages } from './pages';
import type { Source } from './source';
import { clamp, fit, type State, TABS } from './state';
import { csv, markdown, type Rows, tableOf } from './table';
import { TimelinePicture } from './timeline/picture';
import { Unavailable, type View } from './view';
import { VIEWS } from './views';

/** A narrower panel is beside the code: the time line is above the tabs. */
const NARROW = 600;
/** The editor follows a moved moment after so many milliseconds. */
const FOLLOW_DELAY = 50;

export class Panel {
  base!: Timeline;
  moment?: Moment;
  /** The registers of the program, once a view knows them. */
  names: string[] = [];
  private readonly parts = {
    header: h('div', { class: 'row spread header' }),
    tabs: h('div', { role: 'tablist', 'aria-label': 'Views' }),
    stepper: h('div', { class: 'row' }),
    tools: h('div', { class: 'row' }),
    caption: h('div', { class: 'row spread caption' }),
    dock: h('div', { class: 'dock' }),
    view: h('div', { class: 'view', role: 'tabpanel', id: 'view', tabindex: 0 }),
    overview: h('div', { class: 'row overview' }),
    live: h('div', { class: 'visually-hidden', 'aria-live': 'polite' }),
  };
  private pages!: Pages;
  private readonly picture: TimelinePicture;
  private whole?: Overview;
  private content: unknown;

  private rows: Rows = [];
  private shownTab?: Tab;
  private narrow?: boolean;
  private ticket = 0;
  /** Counts the moves: an answer to an older one is dropped. */
  private goal = 0;
  private loading = false;
  private again = false;
  private follow?: ReturnType<typeof setTimeout>;
  private readonly resized: ResizeObserver;

  constructor(
    readonly root: HTMLElement,
    readonly source: Source,
    readonly state: State,
    private readonly save: (state: State) => void,
  ) {
    this.picture = new TimelinePicture(this);
    this.root.addEventListener('keydown', this.onKey);
    this.resized = new ResizeObserver(() => this.resize());
  }

  /** Loads the run and shows it. */
  async open(): Promise<void> {
    const start = performance.now();
    const ticket = ++this.ticket;
    const base = await this.source.request('timeline', { bins: this.bins() });
    if (ticket !== this.ticket || !base) return;
    this.base = base;
    this.pages = new Pages(base, (from, to, bins) => this.source.request('timeline', { from, to, bins }));
    fit(this.state, base);
    this.moment = this.source.known?.(this.state.step);
    void this.count();
    await this.refresh();
    this.resized.observe(this.root);
    this.source.painted?.('first', performance.now() - start);
    if (!this.moment) this.locate(false);
  }

  /** The number on the tab of the buffers. */
  private async count(): Promise<void> {
    const all = await this.source.request('buffers', {}).catch(() => null);
    const unexpected = all?.buffers.reduce((sum, buffer) => sum + buffer.unexpected, 0) ?? 0;
    if (unexpected === this.source.run.unexpected) return;
    this.source.run.unexpected = unexpected;
    fill(this.parts.tabs, tabs(this));
  }

  close(): void {
    this.ticket++;
    this.goal++;
    clearTimeout(this.follow);
    this.resized.disconnect();
    this.root.removeEventListener('keydown', this.onKey);
  }

  get isNarrow(): boolean {
    return this.root.clientWidth < NARROW;
  }

  get page(): Timeline {
    return this.pages.best(this.state.from, this.to);
  }

  get to(): number {
    return this.state.to ?? this.base.steps;
  }

  /** What the view shows. */
  get shown(): unknown {
    return this.content;
  }

  /** The tab that is drawn: beside the code the time line is always there, and its tab has the table. */
  get view(): View<unknown> {
    return VIEWS[this.state.tab];
  }

  get isTable(): boolean {
    return this.state.table || (this.isNarrow && this.state.tab === 'timeline');
  }

  /** The block and the masks of the moment, as far as the pages know them. */
  get masks(): { active: string; executed: string; block?: number } | undefined {
    const known = runAt(this.page.runs, this.state.step) ?? runAt(this.base.runs, this.state.step);
    if (known) return known;
    return this.moment?.step === this.state.step ? this.moment : undefined;
  }

  /** Changes what the views show. */
  set(change: Partial<State>): void {
    Object.assign(this.state, change);
    this.save(this.state);
    void this.refresh();
  }

  choose(lane: number): void {
    this.state.lane = clamp(lane, 0, this.base.width - 1);
    this.save(this.state);
    this.move();
  }

  /** Moves the moment. The editor follows unless it started the move. */
  goTo(step: number, follow = true): void {
    const { state, base } = this;
    this.goal++;
    state.step = clamp(step, 0, Math.max(0, base.steps - 1));
    const span = this.to - state.from;
    const isOutside = state.step < state.from || state.step >= this.to;
    if (isOutside) this.window(state.step - Math.floor(span / 2), span);
    this.moment = this.source.known?.(state.step);
    this.save(state);
    this.move();
    clearTimeout(this.follow);
    this.follow = setTimeout(() => this.locate(follow), this.moment ? 0 : FOLLOW_DELAY);
    if (this.view.followsStep || isOutside) void this.refresh();
  }

  /** Goes to a visit of a line. */
  async goToLine(line: number, visit: number | undefined, follow: boolean): Promise<void> {
    // The editor does not follow an older move after this one.
    clearTimeout(this.follow);
    const goal = ++this.goal;
    const found = await this.source.request('moment', { line, visit }).catch(() => null);
    if (!found || goal !== this.goal) return;
    if (this.base) this.goTo(found.step, follow);
    else this.state.step = found.step;
  }

  /** The previous or the next visit of the statement. */
  async visit(by: number): Promise<void> {
    const { moment } = this;
    if (!moment || moment.step !== this.state.step) return;
    const visit = clamp(moment.visit + by, 1, moment.visits);
    if (visit === moment.visit) return;
    await this.goToLine(moment.line, visit, true);
    this.source.visit?.(moment.line, visit);
  }

  /** The next or the previous mark. */
  mark(by: number, kind: 'diverge' | 'finding'): void {
    const steps = marksOf(this, kind);
    const { step } = this.state;
    const next =
      by > 0
        ? (steps.find((other) => other > step) ?? (kind === 'finding' ? steps[0] : undefined))
        : steps.filter((other) => other < step).pop();
    if (next !== undefined) this.goTo(next);
  }

  zoom(factor: number, around = this.state.step): void {
    const span = clamp((this.to - this.state.from) * factor, Math.min(8, this.base.steps), this.base.steps);
    this.window(around - ((around - this.state.from) / Math.max(1, this.to - this.state.from)) * span, span);
    this.zoomed();
  }

  pan(by: number): void {
    this.window(this.state.from + by, this.to - this.state.from);
    this.zoomed();
  }

  all(): void {
    Object.assign(this.state, { from: 0, to: null, zoom: 1 });
    this.zoomed();
  }

  setTab(tab: Tab): void {
    this.set({ tab });
  }

  /** The tab beside the chosen one. */
  nextTab(by: number): void {
    const at = TABS.indexOf(this.state.tab);
    this.setTab(TABS[(at + by + TABS.length) % TABS.length] ?? 'timeline');
    document.getElementById(`tab-${this.state.tab}`)?.focus();
  }

  async copy(format: 'markdown' | 'csv'): Promise<void> {
    await this.source.copy(format === 'csv' ? csv(this.rows) : markdown(this.rows));
    this.say(`${this.view.label} copied as ${format === 'csv' ? 'CSV' : 'Markdown'}.`);
  }

  /** A sentence for screen readers. */
  say(text: string): void {
    this.parts.live.textContent = text;
  }

  /** Scrolls nothing, moves the cursor of the editor. */
  revealLine(line: number, focus = false): void {
    this.source.reveal?.(line, focus);
  }

  /** Columns of 2 pixels, or steps of at least 1. */
  bins(span = Infinity): number {
    const width = Math.max(200, this.root.clientWidth - 150);
    return Math.min(2000, span <= width ? width : Math.floor(width / 2));
  }

  /** After a change of the theme. */
  repaint(): void {
    if (this.base) void this.refresh();
  }

  private window(from: number, span: number): void {
    const first = clamp(from, 0, Math.max(0, this.base.steps - span));
    this.state.from = first;
    this.state.to = first + span >= this.base.steps && first === 0 ? null : first + span;
  }

  private zoomed(): void {
    this.save(this.state);
    this.picture.paint();
    this.whole?.move();
    void this.refresh();
  }

  /** The order of the parts depends on the width. */
  private arrange(): void {
    const { header, tabs, stepper, tools, caption, dock, view, overview, live } = this.parts;
    this.narrow = this.isNarrow;
    this.root.classList.toggle('narrow', this.narrow);
    if (this.narrow)
      fill(
        this.root,
        header,
        h('div', { class: 'row spread bar' }, stepper, tools),
        dock,
        overview,
        h('div', { class: 'bar' }, tabs),
        caption,
        view,
        live,
      );
    else
      fill(
        this.root,
        header,
        h('div', { class: 'row spread bar' }, tabs, h('div', { class: 'row' }, stepper, tools)),
        caption,
        view,
        overview,
        live,
      );
  }

  private resize(): void {
    if (this.base) void this.refresh();
  }

  /** Loads the content of the view and draws everything. One load is in progress at a time; the last state wins. */
  private async refresh(): Promise<void> {
    if (this.loading) {
      this.again = true;
      return;
    }
    this.loading = true;
    try {
      do {
        this.again = false;
        await this.load();
      } while (this.again);
    } finally {
      this.loading = false;
    }
  }

  private async load(): Promise<void> {
    const { ticket, view } = this;
    // The tab is marked at once, its content may take a while.
    if (this.shownTab && this.shownTab !== this.state.tab) this.frame();
    const span = this.to - this.state.from;
    let problem: string | undefined;
    try {
      await this.pages.load(this.state.from, this.to, this.bins(span));
      this.content = await view.load(this);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      if (!(error instanceof Unavailable)) problem = sentence(problem);
    }
    if (ticket !== this.ticket || view !== this.view) return;
    this.rows = problem ? [] : view.table(this, this.content);
    if (problem) this.content = undefined;
    const isSame = this.shownTab === this.state.tab;
    this.shownTab = this.state.tab;
    this.frame();
    // The page keeps what it shows, and the focus, until there is something new.
    if (this.narrow !== this.isNarrow) this.arrange();
    this.drawView(problem, isSame);
  }

  private drawView(problem: string | undefined, isSame: boolean): void {
    const { view, content } = this;
    const { view: part, dock } = this.parts;
    part.setAttribute('aria-label', view.label);
    const scrolled = isSame ? [part.scrollLeft, part.scrollTop] : [0, 0];
    if (problem) fill(part, h('p', { class: 'dim', id: 'problem' }, problem));
    else if (this.isTable) fill(part, tableOf(this.rows, view.label, view.row?.(this, content)));
    else fill(part, this.state.tab === 'timeline' ? this.picture.element : view.draw(this, content));
    if (this.narrow && dock.firstChild !== this.picture.element) fill(dock, this.picture.element);
    [part.scrollLeft, part.scrollTop] = scrolled as [number, number];
    if (!problem && !this.isTable) view.drawn?.(this, content);
    if (this.narrow || (this.state.tab === 'timeline' && !problem && !this.isTable)) this.picture.paint();
    part.dataset['tab'] = this.state.tab;
    part.dataset['step'] = String(this.state.step);
  }

  private frame(): void {
    const { parts } = this;
    fill(parts.header, header(this));
    fill(parts.tabs, tabs(this));
    fill(parts.tools, tools(this));
    fill(parts.stepper, stepper(this));
    this.drawCaption();
    this.whole = overview(this);
    fill(parts.overview, this.whole.elements);
  }

  private drawCaption(): void {
    const problem = this.content === undefined || this.view !== VIEWS[this.shownTab ?? this.state.tab];
    fill(
      this.parts.caption,
      caption(this),
      h('span', { class: 'dim legend' }, problem || this.isTable ? null : this.view.legend(this, this.content)),
    );
  }

  /** After a move of the moment or the lane: what needs no request. */
  private move(): void {
    fill(this.parts.stepper, stepper(this));
    this.drawCaption();
    this.whole?.move();
    this.picture.move();
    if (this.content !== undefined && this.shownTab === this.state.tab && !this.isTable) this.view.moved?.(this, this.content);
  }

  /** Asks for the statement of the moment. */
  private async locateNow(follow: boolean): Promise<void> {
    const {
      goal,
      state: { step },
    } = this;
    const found = this.moment?.step === step ? this.moment : await this.source.request('moment', { step }).catch(() => null);
    if (step !== this.state.step) return;
    this.moment = found ?? undefined;
    fill(this.parts.stepper, stepper(this));
    this.drawCaption();
    if (found && follow && goal === this.goal) this.source.reveal?.(found.line, false);
    if (found) this.say(`Step ${grouped(step + 1)}, line ${found.line + 1}, visit ${found.visit} of ${found.visits}.`);
  }

  private locate(follow: boolean): void {
    void this.locateNow(follow);
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (!this.base) return;
    const own = !this.isTable && this.content !== undefined && this.view.key?.(this, this.content, event);
    if (own || handleKey(this, event)) event.preventDefault();
  };
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return capital.endsWith('.') ? capital : `${capital}.`;
}

/** A panel without a run: what it would show, and what to do. */
export function nothing(root: HTMLElement, title: string, text: string, actions: { label: string; run: () => void }[]): void {
  fill(
    root,
    h(
      'div',
      { class: 'nothing' },
      h('h2', null, title),
      h('p', { class: 'dim' }, text),
      h(
        'p',
        null,
        actions.map(({ label, run }, at) =>
          h('button', { class: at === 0 ? 'primary' : 'secondary', type: 'button', id: `action-${at}`, onclick: run }, label),
        ),
      ),
    ),
  );
}
