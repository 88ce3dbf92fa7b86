// The lanes panel: loads a run, and moves the moment, the lane and the window that all views show. It draws what the server counts.

import type { Mark, Timeline } from './generated/answers';
import { handleKey } from './keys';
import { grouped, runAt } from './lanes';
import { type Moment, messageOf, TABS, type Tab } from './messages';
import { Pages } from './pages';
import { Screen } from './screen';
import type { Source } from './source';
import { clamp, fit, type State } from './state';
import { csv, markdown } from './table';
import { stepsOf } from './timeline/steps';
import type { Controls, Stage, View, Views } from './view';

/** A narrower panel is beside the code. */
const NARROW = 600;
/** A lower panel has no room for a header, a legend and tall drawings. */
const SHORT = 330;
/** How long the moment must stay before the editor follows, in milliseconds. */
const FOLLOW_DELAY = 50;

export class Panel implements Controls {
  base!: Timeline;
  moment?: Moment;
  names: string[] = [];
  private pages!: Pages;
  private readonly screen: Screen;
  private isClosed = false;
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
    readonly views: Views,
    private readonly save: (state: State) => void,
  ) {
    this.screen = new Screen(this);
    this.root.addEventListener('keydown', this.onKey);
    this.resized = new ResizeObserver(() => this.redraw());
  }

  /** Loads the run and shows it. */
  async open(): Promise<void> {
    const start = performance.now();
    const base = await this.source.request('timeline', { bins: this.bins(), fold: true });
    if (this.isClosed || !base) return;
    this.base = base;
    this.pages = new Pages(base, (from, to, bins) => this.source.request('timeline', { from, to, bins, fold: true }));
    fit(this.state, base);
    this.moment = this.source.known?.(this.state.step);
    void this.countUnexpected();
    await this.refresh();
    this.resized.observe(this.root);
    this.source.painted?.('first', performance.now() - start);
    if (!this.moment) void this.locate(false);
  }

  close(): void {
    this.isClosed = true;
    this.goal++;
    clearTimeout(this.follow);
    this.resized.disconnect();
    this.root.removeEventListener('keydown', this.onKey);
  }

  get isNarrow(): boolean {
    return this.root.clientWidth < NARROW;
  }

  get isShort(): boolean {
    // A report is as high as its content.
    return !this.isNarrow && document.body.classList.contains('warplens-webview') && this.root.clientHeight < SHORT;
  }

  get page(): Timeline {
    return this.pages.best(this.state.from, this.to);
  }

  get to(): number {
    return this.state.to ?? this.base.steps;
  }

  get masks(): Stage['masks'] {
    const known = runAt(this.page.runs, this.state.step) ?? runAt(this.base.runs, this.state.step);
    if (known) return known;
    return this.moment?.step === this.state.step ? this.moment : undefined;
  }

  set(change: Partial<State>): void {
    Object.assign(this.state, change);
    this.save(this.state);
    this.redraw();
  }

  choose(lane: number): void {
    this.state.lane = clamp(lane, 0, this.base.width - 1);
    this.save(this.state);
    this.screen.move();
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
    this.screen.move();
    clearTimeout(this.follow);
    this.follow = setTimeout(() => void this.locate(follow), this.moment ? 0 : FOLLOW_DELAY);
    if (this.views[state.tab].followsStep || isOutside) void this.refresh();
  }

  async goToLine(line: number, visit?: number, follow = true): Promise<void> {
    // The editor does not follow an older move after this one.
    clearTimeout(this.follow);
    const goal = ++this.goal;
    const found = await this.source.request('moment', { line, visit }).catch(() => null);
    if (!found || goal !== this.goal) return;
    if (this.base) this.goTo(found.step, follow);
    else this.state.step = found.step;
  }

  async visit(by: number): Promise<void> {
    const { moment } = this;
    if (!moment || moment.step !== this.state.step) return;
    const visit = clamp(moment.visit + by, 1, moment.visits);
    if (visit === moment.visit) return;
    await this.goToLine(moment.line, visit);
    this.source.visit?.(moment.line, visit);
  }

  mark(by: number, kind: 'diverge' | 'finding'): void {
    const steps = stepsOfMarks(this, kind);
    const { step } = this.state;
    const first = kind === 'finding' ? steps[0] : undefined;
    const next = by > 0 ? (steps.find((other) => other > step) ?? first) : steps.findLast((other) => other < step);
    if (next !== undefined) this.goTo(next);
  }

  zoom(factor: number, around = this.state.step): void {
    const steps = stepsOf(this.state.from, this.to, this.page.repeats);
    const span = clamp(steps.shown * factor, Math.min(8, this.base.steps), this.base.steps);
    const position = steps.position(around);
    const first = position - (position / Math.max(1, steps.shown)) * span;
    this.window(steps.at(first), steps.at(first + span) - steps.at(first));
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

  nextTab(by: number): void {
    const tab = TABS[(TABS.indexOf(this.state.tab) + by + TABS.length) % TABS.length] ?? 'timeline';
    this.set({ tab });
    document.getElementById(`tab-${tab}`)?.focus();
  }

  async copy(format: 'markdown' | 'csv'): Promise<void> {
    const { rows } = this.screen;
    await this.source.copy(format === 'csv' ? csv(rows) : markdown(rows));
    this.screen.say(`${this.views[this.state.tab].label} copied as ${format === 'csv' ? 'CSV' : 'Markdown'}.`);
  }

  /** Draws everything again, if the run is loaded. */
  redraw(): void {
    if (this.base) void this.refresh();
  }

  /** The number on the tab of the buffers. */
  private async countUnexpected(): Promise<void> {
    const all = await this.source.request('buffers', {}).catch(() => null);
    const unexpected = all?.buffers.reduce((sum, buffer) => sum + buffer.unexpected, 0) ?? 0;
    if (unexpected === this.source.run.unexpected) return;
    this.source.run.unexpected = unexpected;
    this.screen.drawTabs();
  }

  /** Columns of 2 pixels, or steps of at least 1. */
  private bins(span = Infinity): number {
    const width = Math.max(200, this.root.clientWidth - 150);
    return Math.min(2000, span <= width ? width : Math.floor(width / 2));
  }

  private window(from: number, span: number): void {
    const first = clamp(from, 0, Math.max(0, this.base.steps - span));
    this.state.from = first;
    this.state.to = first + span >= this.base.steps && first === 0 ? null : first + span;
  }

  private zoomed(): void {
    this.save(this.state);
    this.screen.zoom();
    void this.refresh();
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
        await this.load(this.state.tab);
      } while (this.again);
    } finally {
      this.loading = false;
    }
  }

  private async load(tab: Tab): Promise<void> {
    const view: View<unknown> = this.views[tab];
    this.screen.markTab();
    const { from } = this.state;
    let content: unknown;
    let problem: string | undefined;
    try {
      await this.pages.load(from, this.to, this.bins(this.to - from));
      content = await view.load(this);
    } catch (error) {
      problem = sentence(messageOf(error));
    }
    if (this.isClosed || tab !== this.state.tab) return;
    this.screen.show({ tab, content, problem, rows: problem === undefined ? view.table(this, content) : [] });
  }

  /** Asks for the statement of the moment. */
  private async locate(follow: boolean): Promise<void> {
    const { step } = this.state;
    const { goal } = this;
    const found = this.moment?.step === step ? this.moment : await this.source.request('moment', { step }).catch(() => null);
    if (step !== this.state.step) return;
    this.moment = found ?? undefined;
    this.screen.drawMoment();
    if (found && follow && goal === this.goal) this.source.reveal?.(found.line, false, found.visit);
    if (found) this.screen.say(`Step ${grouped(step + 1)}, line ${found.line + 1}, visit ${found.visit} of ${found.visits}.`);
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (this.base && (this.screen.key(event) || handleKey(this, event))) event.preventDefault();
  };
}

/** The steps of marks of a kind: those of the page, and those of the whole run outside of it. */
function stepsOfMarks({ base, page }: Stage, kind: Mark['kind']): number[] {
  const inside = page.marks.filter((mark) => mark.kind === kind);
  const outside = base.marks.filter((mark) => mark.kind === kind && (mark.step < page.from || mark.step >= page.to));
  return [...new Set([...inside, ...outside].map((mark) => mark.step))].sort((a, b) => a - b);
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return capital.endsWith('.') ? capital : `${capital}.`;
}
