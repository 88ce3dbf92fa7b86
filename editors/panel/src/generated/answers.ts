// Types of messages, generated from the structs of the server: see tests/support/src/typescript.rs.
// docs/lsp-extensions.md documents them.
import type { Launch } from './launch';

export type AccessPart = { at: string, lanes: string, bytes: number,
/** In shared memory, the bank and the wavefront. */
bank?: number, wavefront?: number, };

export type AccessRequest = { space: 'global' | 'shared',
/** Bytes of a lane. */
bytes: number,
/** By lane; `null` for a lane that does not access memory. */
addresses: Array<string | null>,
/** By lane, the element of the buffer: `in[352]`. */
elements: Array<string | null>, parts: Array<AccessPart>,
/** Sectors of 32 bytes, or wavefronts. */
cost: number, ideal: number, };

/** The accesses of a visit and of the kernel. */
export type Accesses = { cta: Array<number>, warp: number, width: number,
/** The accesses of the visit; most statements have one. */
requests: Array<AccessRequest>, worst: Array<WorstAccess>, truncated?: boolean, };

export type Advice = { name: string,
/** Its words, a part of the message. */
text: string, };

/** Where else the finding was found. */
export type Also = {
/** The number of other warps, and of their blocks. */
warps: number, blocks: number,
/** Other lines. */
lines: Array<number>, };

/** An element of a buffer. */
export type BufferElement = { buffer: string, index: number, };

export type BufferInfo = { name: string, type: string,
/** In elements. */
length: number, changed: number,
/** Elements that are not a number, if they are floats. */
nan: number, unexpected: number,
/** Whether the launch expects contents, and they were checked. */
checked: boolean, };

export type BufferPage = { name: string, from: number, after: (number | string | boolean | null)[], before: (number | string | boolean | null)[],
/** The expected values of unexpected elements. */
expected: Record<number, number | string | boolean | null>,
/** The whole buffer, a digit for each of at most 256 parts: 0 not changed, 1 changed, 2 unexpected. */
map: string,
/** The unexpected elements of the whole buffer, at most 1,024. */
unexpected: Array<number>, };

/** The buffers of a launch. */
export type Buffers = { buffers: Array<BufferInfo>,
/** What the program printed. */
output?: string, output_truncated?: boolean, page?: BufferPage, element?: WrittenElement, };

/** A visit of a statement that was chosen. */
export type ChosenVisit = { line: number, character: number, number: number, };

/** Several steps, drawn as one column. */
export type Column = {
/** The block with most of the steps. */
block: number,
/** A digit for each lane, lane 0 first: 0 if it was never active, f if it was always. */
share: string, };

/** The cost of memory accesses above the ideal. The two do not add up, because a sector and a wavefront take different times. */
export type Excess = {
/** Sectors of 32 bytes of global memory. */
sectors: number,
/** Wavefronts of shared memory. */
wavefronts: number, };

/** A line of a source file. */
export type FileLine = {
/** The path of the file as the compiler recorded it. */
file: string,
/** From 1. */
line: number, };

export type Finding = { code: string, severity: string, message: string, line?: number, cta?: Array<number>, warp?: number, lanes?: string, visit?: number, source?: SourceLine, also?: Also, related: Array<Related>,
/** What the message of a race recommends. */
advice?: Advice,
/** The first wrong element, if it does not hold what the launch expects. */
element?: BufferElement,
/** The inferred launch that the finding depends on. */
launch?: Launch,
/** The schedule that shows it, if the default one does not. */
schedule?: string, };

export type Graph = { cta: Array<number>, warp: number, steps: number, blocks: Array<GraphBlock>, edges: Array<GraphEdge>,
/** The block of a branch at which lanes diverged, and the block at which they reconverge. */
reconverges: Array<[number, number]>, truncated?: boolean, };

export type GraphBlock = { lines: Lines | null, visits: number, steps: number,
/** Lanes over all visits. */
threads: number,
/** Lanes over all steps. */
active: number,
/** Visits that diverged. */
diverged: number, };

export type GraphEdge = { from: number, to: number,
/** Sum over visits. */
threads: number,
/** Diverging visits from which lanes took it. */
diverged: number, };

/** The lines of statements; zero-based, the last one included. */
export type Lines = [number, number];

export type Mark = { step: number, kind: MarkKind,
/** How many marks of a column are merged into this one. */
count?: number, lanes?: Array<string>, code?: string, };

export type MarkKind = "diverge" | "reconverge" | "barrier" | "finding";

/** One warp of a run: what is shown in an editor. */
export type Masks = {
/** The version of the document that the positions are for. */
version: number, entry: string,
/** The name of the kernel in its source, if a compiler mangled it. */
source_name?: string,
/** Its sizes are those of the run. */
launch: Launch & Required<Pick<Launch, 'grid' | 'block'>>, model: string, status: string,
/** Absent for the beginning of a run. */
verdict?: string,
/** The evidence that the run lacks, a sentence each. */
missing: Array<string>,
/** Whether the text now has an error that stops a run. */
outdated?: boolean,
/** Whether it is only the beginning of the run. */
partial?: boolean, findings: Array<Finding>, cta: Array<number>, warp: number, launched: string,
/** The selected visit, which determines the shown point in time. */
visit?: ChosenVisit,
/** The output of the program, if any. */
output?: string,
/** The lines of statements that the warp never reached, in ascending order. */
not_run: Array<number>,
/** The lines that the statements were compiled from, in the compact form. */
sources?: Array<SourceLanes>, };

/** The traces of statements, and the lines that have them. */
export type PlacedTraces = { traces: Array<Trace>,
/** The line of a statement, and the number of its trace; in text order. */
places: Array<[number, number]>, };

export type RegisterRow = { name: string, role: RowRole, type: string,
/** The values as a function of the lane, if they have one. */
form: string | null,
/** By lane; `null` where the lane never wrote it. */
values: Array<string | null>,
/** The values as hexadecimal digits, as in `warplens sim --registers`. */
bits: Array<string | null>,
/** The lanes whose value this step changed. */
changed: string, };

/** The registers around a step. */
export type Registers = { cta: Array<number>, warp: number, width: number, rows: Array<RegisterRow>,
/** The names of all registers, for a client that lets users choose. */
names: Array<string>, };

export type Related = { line: number, message: string, };

/** Equal iterations that follow each other. */
export type Repeat = {
/** The first step of the first iteration. */
step: number,
/** The steps of an iteration. */
length: number, count: number, };

export type RowRole = "after" | "before" | "pinned" | "other";

/** A visit of a block. */
export type Run = { step: number, block: number,
/** Active and executed lanes, and the number of steps. */
masks: Array<[string, string, number]>, };

/** The lanes of a line of a source file that the warp reached. */
export type SourceLanes = {
/** Where the first statement of the line is in the compiled file: its line, from 0. */
compiled: number,
/** The lanes that reached a statement of the line, at the selected visit if there is one. */
active: string,
/** The lanes that executed one. */
executed: string,
/** The words to draw beside a strip of these lanes; where lanes diverged at a branch, those of the branch. */
label: string,
/** The path of the file as the compiler recorded it. */
file: string,
/** From 1. */
line: number, };

/** The source line of a statement. */
export type SourceLine = {
/** The line of an inlined header function, if the statement is in one. */
inlined?: FileLine,
/** The path of the file as the compiler recorded it. */
file: string,
/** From 1. */
line: number, };

/** A step of a warp. */
export type Step = { step: number, line: number, character: number,
/** The number of the visit. */
visit: number,
/** How often the warp visited the statement. */
visits: number, active: string, executed: string, };

/** A page of the time line. */
export type Timeline = { cta: Array<number>, warp: number,
/** The lanes of a full warp. */
width: number,
/** The lanes that the launch started. */
launched: string,
/** All steps of the warp. */
steps: number,
/** Active lanes over all steps. */
active: number, from: number, to: number, blocks: Array<TimelineBlock>,
/** The visits of blocks in the page; empty if a column has several steps. */
runs: Array<Run>,
/** Steps of a column, if it has several. */
column?: number, columns: Array<Column>,
/** Equal iterations, of which `runs` and `marks` have only the first. */
repeats?: Array<Repeat>, marks: Array<Mark>,
/** The average of active lanes over `overview_steps` steps each. */
overview: Array<number>, overview_steps: number,
/** By lane, the steps in which it was active. */
lanes: Array<number>, truncated?: boolean, };

export type TimelineBlock = { lines: Lines | null,
/** The header of the innermost loop around it. */
loop: number | null, };

export type Trace = { count: number, visits: Array<Visit>, truncated?: boolean, role?: 'branch' | 'join', parts?: Array<number>, label: string,
/** The lanes of the selected visit; none if the warp had not reached the statement. */
chosen: Visit | null, };

/** Visits with the same masks that follow each other. */
export type Visit = { active: string, executed: string, repeat: number, };

/** The warps of a run whose traces are recorded, in the order of block, then warp. */
export type WarpSummaries = {
/** The average over all warps. */
active: number, warps: Array<WarpSummary>,
/** Whether the run had more warps. */
truncated: boolean, };

/** A warp of a run. */
export type WarpSummary = { cta: Array<number>, warp: number,
/** Executed warp instructions. */
instructions: number,
/** The average share of active lanes in percent, rounded down: 100 is a full warp without divergence. */
active: number, diverged: boolean, findings: number,
/** What its memory accesses cost above the ideal; `None` if the run did not count it. */
excess?: Excess, };

/** A chain of writes, the newest first. */
export type Why = { chain: Array<WhyLink>,
/** Whether the chain has more links. */
truncated: boolean, };

/** A write that a value came through. */
export type WhyLink = { cta: Array<number>, warp: number, lane: number,
/** The step of the warp. */
step: number,
/** `None` if the statement was removed from the text. */
line: number | null, text: string, value: string, operands: Array<WhyOperand>, };

/** A source of a statement. It has no value if it is not a register, or was never written. */
export type WhyOperand = { name: string, value: string | null, };

/** A statement that accesses memory, over all warps. */
export type WorstAccess = { line: number, character: number, space: 'global' | 'shared', requests: number, cost: number, ideal: number, };

export type Writer = { cta: Array<number>, warp: number, lane: number, line: number, character: number, step?: number, };

export type WrittenElement = { index: number,
/** The last lane that stored to it. */
writer: Writer | null, };
