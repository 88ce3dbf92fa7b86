// What the panel asks the server, and what it and the extension send each other.
import type * as answers from './generated/answers';
import type { RunProgress } from './generated/run_progress';

/** Lanes as hex digits, the highest lane first. */
export type Mask = string;

export interface Warp {
  cta: number[];
  warp: number;
}

export type Moment = Omit<answers.Step, 'character'>;

/** A report does not have the bits. */
export type RegisterRow = Omit<answers.RegisterRow, 'bits'> & Partial<Pick<answers.RegisterRow, 'bits'>>;

/** The registers around a step; a report does not have the names of all of them. */
export type Registers = Omit<answers.Registers, 'names' | 'rows'> & Partial<answers.Step> & { names?: string[]; rows: RegisterRow[] };

/** The accesses of a statement and of the kernel. */
export type Accesses = Pick<answers.Accesses, 'requests' | 'worst' | 'truncated'>;

export type Element = answers.BufferPage['after'][number];

/** The answer of each request, by the name after `warplens/`. */
export interface Answers {
  timeline: answers.Timeline;
  moment: Moment;
  registers: Registers;
  accesses: Accesses;
  buffers: answers.Buffers;
  graph: answers.Graph;
  allWarps: answers.WarpSummaries;
}

export type Method = keyof Answers;

/** What the panel shows of a run besides the answers. */
export interface RunInfo extends Warp {
  kernel: string;
  launch: string;
  /** `<<<2, 64>>>` */
  shape: string;
  warps: number;
  model: string;
  status: string;
  /** Absent for the first part of a run. */
  verdict?: string;
  /** The evidence that the run lacks, a sentence each. */
  missing: string[];
  outdated: boolean;
  /** Whether it is the first part of a run that has not ended. */
  partial?: boolean;
  findings: Pick<answers.Finding, 'line' | 'code' | 'severity' | 'message'>[];
  unexpected: number;
}

/** What the panel says if there is no run, and the commands that it offers. */
export interface Nothing {
  title: string;
  text: string;
  actions: { label: string; command: PanelCommand }[];
}

/** The commands that the panel may run. */
export const PANEL_COMMANDS = [
  'warplens.pickLaunch',
  'warplens.pickWarp',
  'warplens.pickModel',
  'warplens.runLaunch',
  'warplens.editLaunch',
  'warplens.stopLanes',
  'warplens.newKernel',
  'warplens.nextFinding',
] as const;

export type PanelCommand = (typeof PANEL_COMMANDS)[number];

export const TABS = ['warps', 'timeline', 'registers', 'memory', 'buffers', 'graph', 'output'] as const;

export type Tab = (typeof TABS)[number];

/** An element of a buffer, and the lane that stored it. */
export interface ShownElement {
  buffer: string;
  element: number;
  lane: number;
}

/** A place in the run: what is not named stays as it is. */
export interface ShownPlace {
  step?: number;
  lane?: number;
  register?: string;
}

/** A warp where the debugger has stopped. */
export interface StoppedWarp extends Warp {
  threadId: number;
  /** The line of its next statement, from 0; null at its end. */
  line: number | null;
  active: Mask;
  /** It runs next, waits for its turn, has just reached a barrier, or has ended. */
  state: 'next' | 'ready' | 'barrier' | 'done';
}

/** A question where a value came from: a register of a lane around a step, or an element of a buffer after the run. */
export type WhyQuestion = { lane: number; register: string; step: number; after: boolean } | { buffer: string; element: number };

/** From the extension to the panel. */
export type ToPanel =
  | { type: 'run'; run: RunInfo; texts: Record<number, string>; labels: Record<number, string> }
  | { type: 'nothing'; nothing: Nothing }
  | { type: 'running'; run: RunProgress | null }
  | { type: 'answer'; id: number; result?: Answers[Method] | null; error?: string }
  | { type: 'cursor'; line: number; visit?: number }
  | { type: 'stopped'; warps: StoppedWarp[] }
  | { type: 'show'; tab: Tab }
  | ({ type: 'place' } & ShownPlace)
  | ({ type: 'element' } & ShownElement);

/** From the panel to the extension. */
export type ToExtension =
  | { type: 'ready' }
  | { type: 'request'; id: number; method: Method; params: object }
  | { type: 'cancel'; id: number }
  | { type: 'stop' }
  | { type: 'reveal'; line: number; focus: boolean; visit?: number }
  | { type: 'visit'; line: number; visit: number }
  | { type: 'warp'; cta: number[]; warp: number; step?: number }
  | { type: 'why'; question: WhyQuestion }
  | { type: 'expect'; buffer: string }
  | { type: 'command'; command: PanelCommand }
  | { type: 'copy'; text: string }
  | { type: 'save'; name: string; text: string }
  | { type: 'painted'; what: string; milliseconds: number };

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
