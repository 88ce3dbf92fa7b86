// What the panel remembers while it is hidden.
import type { Timeline } from './generated/answers';
import { TABS, type Tab } from './messages';

export interface State {
  tab: Tab;
  step: number;
  lane: number;
  /** The steps that the time line shows; `to` is null for the end. */
  from: number;
  to: number | null;
  table: boolean;
  /** Whether the moment stays when the cursor of the editor moves. */
  pinned: boolean;
  buffer: string | null;
  bufferFrom: number;
  element: number | null;
  /** The chosen number of elements in a row, by buffer. */
  rowLengths: Record<string, number>;
  /** Whether buffers are shown as heat maps. */
  heat: boolean;
  /** Registers that are always listed. */
  pins: string[];
  /** Whether all registers that hold a value are listed. */
  all: boolean;
  /** The chosen formats of registers, by name. */
  formats: Record<string, string>;
  /** The scale of the graph. */
  zoom: number;
  /** The number by which warps are compared. */
  measure: string;
}

const START: State = {
  tab: 'timeline',
  step: 0,
  lane: 0,
  from: 0,
  to: null,
  table: false,
  pinned: false,
  buffer: null,
  bufferFrom: 0,
  element: null,
  rowLengths: {},
  heat: false,
  pins: [],
  all: false,
  formats: {},
  zoom: 1,
  measure: 'active',
};

/** The remembered state. Values of the wrong type are ignored, because another version may have written them. */
export function restored(saved: unknown): State {
  const state: State = { ...START, pins: [], rowLengths: {}, formats: {} };
  if (typeof saved !== 'object' || saved === null) return state;
  for (const [key, value] of Object.entries(saved)) {
    const start = (START as unknown as Record<string, unknown>)[key];
    const fits = start === null ? value === null || ['string', 'number'].includes(typeof value) : typeof value === typeof start;
    if (key in START && fits) (state as unknown as Record<string, unknown>)[key] = value;
  }
  if (!TABS.includes(state.tab)) state.tab = 'timeline';
  if (!Array.isArray(state.pins)) state.pins = [];
  for (const map of ['rowLengths', 'formats'] as const) if (Array.isArray(state[map])) state[map] = {};
  return state;
}

/** Keeps the position valid in a run of another length. */
export function fit(state: State, { steps, width }: Timeline): void {
  const last = Math.max(0, steps - 1);
  state.step = clamp(state.step, 0, last);
  state.lane = clamp(state.lane, 0, width - 1);
  if (state.to !== null && state.to >= steps) state.to = null;
  if (state.from >= (state.to ?? steps)) state.from = 0;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, Math.round(value)));
}
