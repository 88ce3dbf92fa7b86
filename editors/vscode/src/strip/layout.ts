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
export function commonColumn(widths: number[]): number {
  const column = Math.max(LEAST, ...widths.map((width) => width + SPACE));
  return Math.ceil(column / STEP) * STEP;
}

/** East Asian characters of two columns, which occur in comments only. */
function isWide(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xffdc && code < 0xd800) || code >= 0x1f300);
}
