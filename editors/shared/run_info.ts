// What the panel shows of a run besides the answers of the server.
import { labelsOf } from '../panel/src/labels';
import type { Nothing, RunInfo } from '../panel/src/messages';
import { type LaneMasks, shapeOf, warpCount } from './masks';

/** The lines of a document. */
export interface Lines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/** The most lines whose text is sent, and the most characters of one. */
const MAX_LINES = 20_000;
const MAX_COLUMNS = 160;

export function runInfo(masks: LaneMasks): RunInfo {
  const { cta, warp, model, status, verdict, missing, findings } = masks;
  return {
    kernel: masks.source_name ?? masks.entry,
    launch: masks.launch.name,
    shape: shapeOf(masks.launch),
    cta,
    warp,
    warps: warpCount(masks),
    model,
    status,
    ...(verdict && { verdict }),
    missing,
    outdated: masks.outdated ?? false,
    partial: masks.partial ?? false,
    findings: findings.map(({ line, code, severity, message }) => ({ line, code, severity, message })),
    unexpected: 0,
  };
}

/** By line, the texts of the statements of the run, and their labels. */
export function textsOf(document: Lines, masks: LaneMasks): { texts: Record<number, string>; labels: Record<number, string> } {
  const lines = statementLines(document, masks);
  const textOf = (line: number) => document.lineAt(line).text;
  const texts = lines.map((line) => [line, textOf(line).trim().replace(/\s+/g, ' ').slice(0, MAX_COLUMNS)]);
  return { texts: Object.fromEntries(texts), labels: labelsIn(document, masks) };
}

/** By line, the labels of the statements of the run. */
export function labelsIn(document: Lines, masks: LaneMasks): Record<number, string> {
  return labelsOf((line) => document.lineAt(line).text, statementLines(document, masks));
}

function statementLines(document: Lines, masks: LaneMasks): number[] {
  const statements = [...masks.lines.map(({ line }) => line), ...masks.not_run].slice(0, MAX_LINES);
  return statements.filter((line) => line < document.lineCount);
}

export const NO_DOCUMENT: Nothing = {
  title: 'No kernel is open',
  text: 'Open a file with a kernel and run a launch to see when each lane ran and with which values.',
  actions: [{ label: 'New Kernel', command: 'warplens.newKernel' }],
};

export const NO_RUN: Nothing = {
  title: 'No run to show',
  text: 'Run a launch of this file to see when each lane ran and with which values.',
  actions: [
    { label: 'Run Default Launch', command: 'warplens.runLaunch' },
    { label: 'Pick Launch…', command: 'warplens.pickLaunch' },
    { label: 'Edit Launch…', command: 'warplens.editLaunch' },
  ],
};
