// What a tab provides, and what it sees of the panel.

import type { Child } from './dom';
import type { Timeline } from './generated/answers';
import type { Mask, Moment, Tab } from './messages';
import type { Source } from './source';
import type { State } from './state';
import type { Rows } from './table';

export interface View<Content> {
  label: string;
  /** Whether the content depends on the step; otherwise `moved` is called. */
  followsStep: boolean;
  legend(stage: Stage, content: Content): Child[];
  /** Fails with the reason that there is no content. */
  load(stage: Stage): Promise<Content>;
  table(stage: Stage, content: Content): Rows;
  /** The row of the table at the moment. */
  row?(stage: Stage, content: Content): number | undefined;
  draw(stage: Stage, content: Content): Node;
  /** After the drawing is in the page. */
  drawn?(stage: Stage, content: Content): void;
  /** The moment or the lane has moved. */
  moved?(stage: Stage, content: Content): void;
  /** A key that only this view has; true if it was handled. */
  key?(stage: Stage, content: Content, event: KeyboardEvent): boolean;
}

export type Views = Record<Tab, View<unknown>>;

/** The run that the panel shows, and the moment and the lane that all views share. */
export interface Stage {
  readonly root: HTMLElement;
  readonly source: Source;
  readonly state: State;
  readonly views: Views;
  /** The time line of the whole run. */
  readonly base: Timeline;
  /** The loaded page with the most detail that covers the window. */
  readonly page: Timeline;
  /** The end of the window. */
  readonly to: number;
  /** The statement of the step, or of an older step until the answer arrives. */
  readonly moment?: Moment;
  /** The block and the masks of the step, as far as the loaded pages know them. */
  readonly masks?: { active: Mask; executed: Mask; block?: number };
  /** Beside the code the panel is narrow: the time line is above the tabs. */
  readonly isNarrow: boolean;
  /** In a panel of the height that VS Code gives it at first: fewer rows around the view, and smaller drawings. */
  readonly isShort: boolean;
  /** The registers of the program, once a view knows them. */
  names: string[];
  /** Changes what the views show. */
  set(change: Partial<State>): void;
  choose(lane: number): void;
  goTo(step: number): void;
  /** Goes to a visit of a line, by default the last one. */
  goToLine(line: number, visit?: number): Promise<void>;
}

/** What the frame, the keys and the time line can do besides. */
export interface Controls extends Stage {
  /** The previous or the next visit of the statement. */
  visit(by: number): Promise<void>;
  /** The next or the previous mark. */
  mark(by: number, kind: 'diverge' | 'finding'): void;
  zoom(factor: number, around?: number): void;
  pan(by: number): void;
  /** Shows the whole run. */
  all(): void;
  /** The tab beside the chosen one. */
  nextTab(by: number): void;
  copy(format: 'markdown' | 'csv'): Promise<void>;
}
