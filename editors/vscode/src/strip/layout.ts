// Where strips begin: at the same column in all visible lines. Pure.

/** The first column that a strip may begin at, for kernels with short lines. */
const LEAST = 48;
/** Columns between the widest code and the strips. */
const SPACE = 2;
/** Typing moves the strips by so many columns at once. */
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
 * With word wrap: an extension knows neither the width of the view nor where lines are wrapped. Lines that are not wrapped in most views
 * share a column. It is that of the widest code, without a least one, so that strips are inside narrow views too.
 */
export const WRAP_LIMIT = 60;

/** The columns between the end of a line and its strip. A strip that follows the end of its code covers none, wherever the line is wrapped. */
export function spaceAfter(width: number, column: number, isWrapped: boolean): number {
  return isWrapped && width > WRAP_LIMIT ? SPACE : Math.max(column - width, SPACE);
}

/** The column at which the strips begin, of the lines that share one with word wrap. */
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
