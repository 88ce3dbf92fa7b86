// Where strips begin: at the same column in all visible lines. Pure.

/** The leftmost column of strips, for kernels with short lines. */
const LEAST = 48;
/** Columns between the widest code and the strips. */
const SPACE = 2;
/** Strips move in steps of this many columns, so that they do not move with each typed character. */
const STEP = 4;

/** The width of a text in columns. */
export function columns(text: string, tabSize: number): number {
  let width = 0;
  for (const char of text) {
    if (char === '\t') width += tabSize - (width % tabSize);
    else width += isWide(char) ? 2 : 1;
  }
  return width;
}

/** The column at which the strips of lines with these widths begin. */
export function commonColumn(widths: number[], least = LEAST): number {
  const column = Math.max(least, ...widths.map((width) => width + SPACE));
  return Math.ceil(column / STEP) * STEP;
}

/**
 * With word wrap, an extension knows neither the width of the view nor where lines wrap. Lines up to this width are assumed not to wrap
 * and share a column. It has no minimum, so that strips stay inside narrow views.
 */
export const WRAP_LIMIT = 60;

/** The columns between the end of a line and its strip. A line that may wrap has its strip right after its code, which it cannot cover there. */
export function spaceAfter(width: number, column: number, isWrapped: boolean): number {
  return isWrapped && width > WRAP_LIMIT ? SPACE : Math.max(column - width, SPACE);
}

/** The common column of the lines that are assumed not to wrap. */
export function wrappedColumn(widths: number[]): number {
  return commonColumn(
    widths.filter((width) => width <= WRAP_LIMIT),
    0,
  );
}

/** East Asian characters of two columns, which occur in comments only. */
function isWide(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xffdc && code < 0xd800) || code >= 0x1f300);
}
