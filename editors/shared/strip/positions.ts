// The lines of a run, position-tracked through edits, and the runs of lines in the overview ruler. Pure.

/** An edit: the replaced lines, and the lines of the new text. */
export interface LineEdit {
  start: { line: number; character: number };
  end: { line: number; character: number };
  /** The number of line breaks in the new text. */
  breaks: number;
}

/** An edit as an editor reports it. */
export function lineEdit({ range: { start, end }, text }: { range: Omit<LineEdit, 'breaks'>; text: string }): LineEdit {
  return { start, end, breaks: text.split('\n').length - 1 };
}

/** The line that a line moves to; undefined if the edit removed it. */
export function moved(line: number, edit: LineEdit): number | undefined {
  const { start, end, breaks } = edit;
  const delta = breaks - (end.line - start.line);
  if (line > end.line) return line + delta;
  // Whole lines were inserted before this line.
  if (line === start.line && start.character === 0 && end.line === line && end.character === 0) return line + breaks;
  const isRemoved = line > start.line || (line === start.line && start.character === 0);
  if (isRemoved && line < end.line) return undefined;
  if (line === end.line && line !== start.line) return start.character === 0 ? start.line + breaks : undefined;
  return line;
}

/** Lines that follow each other with the same step of the overview ruler. */
export interface Range {
  first: number;
  last: number;
}

/** The steps of the overview ruler. */
export const STEPS = 4;

/** The step of a share of executed threads: 1 to 4, or 0 if none executed. */
export function step(share: number): number {
  return share <= 0 ? 0 : Math.min(STEPS, Math.ceil(share * STEPS));
}

/** The ranges of lines of each step, from the steps of lines in ascending order. Lines at most `gap` apart belong together. */
export function overview(lines: { line: number; step: number }[], gap = 1): Range[][] {
  const ranges: Range[][] = Array.from({ length: STEPS + 1 }, () => []);
  let last: { step: number; range: Range } | undefined;
  for (const { line, step } of lines) {
    if (last && last.step === step && line - last.range.last <= gap) last.range.last = line;
    else {
      last = { step, range: { first: line, last: line } };
      ranges[step]?.push(last.range);
    }
  }
  return ranges;
}
