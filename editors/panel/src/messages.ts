// The messages of the lanes panel: the answers of the server, which docs/lsp-extensions.md documents, and what the panel and the
// extension send each other. Types only.

/** Lanes as hex digits, the highest lane first. */
export type Mask = string;

export interface Warp {
  cta: number[];
  warp: number;
}

/** The first and the last line, from 0; null if the statements were removed from the text. */
export type Lines = [number, number] | null;

export type MarkKind = 'diverge' | 'reconverge' | 'barrier' | 'finding';

export interface Mark {
  step: number;
  kind: MarkKind;
  count?: number;
  lanes?: Mask[];
  code?: string;
}

/** A visit of a basic block: active lanes, executed lanes, steps. */
export interface Run {
  step: number;
  block: number;
  masks: [Mask, Mask, number][];
}

export interface Timeline extends Warp {
  width: number;
  launched: Mask;
  steps: number;
  active: number;
  from: number;
  to: number;
  blocks: { lines: Lines; loop: number | null }[];
  runs: Run[];
  column?: number;
  columns: { block: number; share: string }[];
  marks: Mark[];
  overview: number[];
  overview_steps: number;
  lanes: number[];
  truncated?: boolean;
}

/** A step of the warp. */
export interface Moment {
  step: number;
  line: number;
  visit: number;
  visits: number;
  active: Mask;
  executed: Mask;
}

export interface RegisterRow {
  name: string;
  role: 'after' | 'before' | 'pinned';
  type: string;
  form: string | null;
  values: (string | null)[];
  changed: Mask;
}

export interface Registers extends Partial<Moment>, Warp {
  width: number;
  rows: RegisterRow[];
  names?: string[];
}

export interface AccessPart {
  at: string;
  lanes: Mask;
  bytes: number;
  bank?: number;
  wavefront?: number;
}

export interface AccessRequest {
  space: 'global' | 'shared';
  bytes: number;
  addresses: (string | null)[];
  elements: (string | null)[];
  parts: AccessPart[];
  cost: number;
  ideal: number;
}

export interface WorstAccess {
  line: number;
  space: 'global' | 'shared';
  requests: number;
  cost: number;
  ideal: number;
}

export interface Accesses {
  requests: AccessRequest[];
  worst: WorstAccess[];
  truncated?: boolean;
}

export interface BufferInfo {
  name: string;
  type: string;
  length: number;
  changed: number;
  unexpected: number;
  checked: boolean;
}

export type Element = number | string | boolean | null;

export interface BufferPage {
  name: string;
  from: number;
  after: Element[];
  before: Element[];
  expected: Record<number, Element>;
  map: string;
  unexpected: number[];
}

export interface Writer extends Warp {
  lane: number;
  line: number;
  step?: number;
}

export interface Buffers {
  buffers: BufferInfo[];
  output?: string;
  output_truncated?: boolean;
  page?: BufferPage;
  element?: { index: number; writer: Writer | null };
}

export interface GraphBlock {
  lines: Lines;
  visits: number;
  steps: number;
  threads: number;
  active: number;
  diverged: number;
}

export interface GraphEdge {
  from: number;
  to: number;
  threads: number;
  diverged: number;
}

export interface Graph {
  steps: number;
  blocks: GraphBlock[];
  edges: GraphEdge[];
  reconverges: [number, number][];
  truncated?: boolean;
}

/** The answer of each request, by the name after `warplens/`. */
export interface Answers {
  timeline: Timeline;
  moment: Moment;
  registers: Registers;
  accesses: Accesses;
  buffers: Buffers;
  graph: Graph;
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
  outdated: boolean;
  /** Whether it is the first part of a run that has not ended. */
  partial?: boolean;
  findings: { line?: number; code: string; severity: string; message: string }[];
  unexpected: number;
}

/** A run in progress. */
export interface RunProgress {
  entry: string;
  launch: string;
  /** Executed warp instructions of all warps, and their limit. */
  steps: number;
  maxSteps: number;
}

/** What the panel says if there is no run, and the commands that it offers. */
export interface Nothing {
  title: string;
  text: string;
  actions: { label: string; command: PanelCommand }[];
}

/** The commands that the panel may run. */
export type PanelCommand =
  | 'warplens.pickLaunch'
  | 'warplens.pickWarp'
  | 'warplens.pickModel'
  | 'warplens.runLaunch'
  | 'warplens.editLaunch'
  | 'warplens.stopLanes'
  | 'warplens.newKernel'
  | 'warplens.nextFinding';

export type Tab = 'timeline' | 'registers' | 'memory' | 'buffers' | 'graph' | 'output';

/** From the extension to the panel. */
export type ToPanel =
  | { type: 'run'; run: RunInfo; texts: Record<number, string> }
  | { type: 'nothing'; nothing: Nothing }
  | { type: 'running'; run: RunProgress | null }
  | { type: 'answer'; id: number; result?: Answers[Method] | null; error?: string }
  | { type: 'cursor'; line: number; visit?: number }
  | { type: 'show'; tab: Tab };

/** From the panel to the extension. */
export type ToExtension =
  | { type: 'ready' }
  | { type: 'request'; id: number; method: Method; params: object }
  | { type: 'cancel'; id: number }
  | { type: 'stop' }
  | { type: 'reveal'; line: number; focus: boolean }
  | { type: 'visit'; line: number; visit: number }
  | { type: 'warp'; cta: number[]; warp: number }
  | { type: 'command'; command: PanelCommand }
  | { type: 'copy'; text: string }
  | { type: 'save'; name: string; text: string }
  | { type: 'painted'; what: string; milliseconds: number };
