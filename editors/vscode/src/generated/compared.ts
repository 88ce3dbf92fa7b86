// Types of messages, generated from the structs of the server: see tests/support/src/typescript.rs.
// docs/lsp-extensions.md documents them.
import type { Launch } from '../../../panel/src/generated/launch';

export type BufferDifference = { name: string, index: number, values: Array<string>, stores: Array<Writer | null>, differing: number, elements: number, };

export type Compared = { equal: boolean, launch: Launch, difference: Difference | null, compared: Scope, not_compared: Array<string>, contraction?: Contraction, random?: Drawn,
/** Why the result says less than its numbers. */
warning?: string, runs: Array<Run>, buffers: Array<BufferDifference>, output?: OutputDifference, lane?: LaneDifference, };

/** The results with and without fused products and sums. */
export type Contraction = { unfused: string, fused: string,
/** Present unless `fused` is `same`. */
some_fused?: string,
/** How many selections of sums were tried besides none and all. */
tried: number,
/** The fused sums with which the results are the same. */
sums: Array<FusedSum>, };

export type Difference = { buffer: string, element: number, a: number | string, b: number | string, a_writer: Writer | null, b_writer: Writer | null, };

/** Random variations of the given launch. */
export type Drawn = { seed: number, requested: number,
/** Launches that were compared. */
compared: number,
/** Launches that were not compared because the first kernel does not run with them. */
discarded: number,
/** Launches that were not compared because the other kernel does not run with them. */
discarded_by_other: number,
/** Why the last launch was discarded. */
reason?: string, };

export type FusedSum = {
/** The kernel, 0 or 1. */
run: number,
/** The statement. */
text: string, line?: number, character?: number, };

export type LaneDifference = { cta: Array<number>, warp: number, lane: number, steps: Array<LaneStep | null>, };

export type LaneStep = { visit: number, executed: boolean, written: Array<string>, line?: number, character?: number, };

export type OutputDifference = { line: number, texts: Array<string | null>, };

export type Run = { path: string, entry: string, model: string, status: string, warp_instructions: number, error: RunError | null, };

export type RunError = { code: string, message: string, line?: number, character?: number, };

/** How much was compared, over all launches. */
export type Scope = { launches: number, buffers: number, elements: number, };

export type Writer = { cta: Array<number>, warp: number, lane: number, line?: number, character?: number, };
