// Where the panel gets its data from: the extension, or the data that a report contains.
import type { Answers, Method, Moment, PanelCommand, RunInfo, StoppedWarp, Warp, WhyQuestion } from './messages';

export interface Source {
  run: RunInfo;
  /** Whether the panel is a part of a page that scrolls. */
  isPart?: boolean;
  /** Answers a request of docs/lsp-extensions.md, or fails with the reason that there is no answer. */
  request<M extends Method>(method: M, params: object): Promise<Answers[M] | null>;
  /** The text of a line. */
  statement(line: number): string;
  /** The label before the statement of a line, if it has one. */
  label(line: number): string | undefined;
  /** The statement of a step, if the source knows it without a request. */
  known?(step: number): Moment | undefined;
  /** Moves the cursor of the editor, and a debugger to the visit of the line. */
  reveal?(line: number, focus: boolean, visit?: number): void;
  /** Shows a visit in the editor as well. */
  visit?(line: number, visit: number): void;
  /** A warp where the debugger has stopped. */
  stopped?(warp: Warp): StoppedWarp | undefined;
  /** Shows another warp, at one of its steps. */
  warp?(warp: Warp, step?: number): void;
  /** Shows where a value came from. */
  why?(question: WhyQuestion): void;
  /** Makes the launch expect what a buffer holds. */
  expect?(buffer: string): void;
  command?(command: PanelCommand): void;
  copy(text: string): Promise<void>;
  save(name: string, text: string): void;
  /** Reports how long something took. */
  painted?(what: string, milliseconds: number): void;
}
