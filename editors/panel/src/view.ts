// What each tab provides.
import type { Child } from './dom';
import type { Panel } from './panel';
import type { Rows } from './table';

export interface View<Content> {
  label: string;
  /** Whether the content depends on the step; otherwise `moved` is called. */
  followsStep: boolean;
  legend(panel: Panel, content: Content): Child[];
  load(panel: Panel): Promise<Content>;
  table(panel: Panel, content: Content): Rows;
  /** The row of the table at the moment. */
  row?(panel: Panel, content: Content): number | undefined;
  draw(panel: Panel, content: Content): Node;
  /** After the drawing is in the page. */
  drawn?(panel: Panel, content: Content): void;
  /** The moment or the lane has moved. */
  moved?(panel: Panel, content: Content): void;
  /** A key that only this view has; true if it was handled. */
  key?(panel: Panel, content: Content, event: KeyboardEvent): boolean;
}

/** Content that cannot be shown, with the reason. */
export class Unavailable extends Error {}
