// Where strips and labels are drawn: before the code, or after it. Pure.
import { stripWidth } from './shape';

/** Pixels after a strip before the code. */
const AFTER_STRIP = 6;
/** The characters of a label before the code; a longer one is repeated after the code. */
const LABEL = 11;
/** The size of their font, relative to that of the code. */
export const LABEL_SIZE = 0.8;
/** The columns that a label before the code takes. */
const LABEL_COLUMNS = Math.ceil(LABEL * LABEL_SIZE + 1);

/** CSS lengths. */
export interface Before {
  /** The width that all lines leave for strips and labels before the code. */
  space: string;
  /** Where labels begin, in their font. */
  label: string;
  /** The characters of a label before the indentation of the code. */
  room: number;
}

/**
 * The layout of strips before the code, for the lines of all statements. Labels are drawn over the indentation, as far as that of all
 * statements has room. In listings of machine code the indentation has the strips, and the room after the addresses has the labels.
 */
export function before(lanes: number, lines: string[], tabSize: number): Before {
  const label = stripWidth(lanes, 'left') + AFTER_STRIP;
  const indentation = least(lines.map((line) => columns(/^\s*/.exec(line)?.[0] ?? '', tabSize)));
  const ends = lines.map((line) => ADDRESS.exec(line)?.[1]?.length);
  const [end] = ends;
  if (end !== undefined && ends.every((other) => other === end)) {
    const ch = (count: number) => `${count / LABEL_SIZE}ch`;
    return {
      space: `max(${label}px - ${indentation}ch, 0px)`,
      label: `max(${label}px + ${ch(end + 1 - indentation)}, ${ch(end + 1)})`,
      room: LABEL,
    };
  }
  const more = Math.max(LABEL_COLUMNS - indentation, 0);
  return { space: `calc(${label}px + ${more}ch)`, label: `${label}px`, room: Math.floor(more / LABEL_SIZE) };
}

/** An address in a listing, and room for a label. */
const ADDRESS = new RegExp(String.raw`^( *\/\*[0-9a-f]+\*\/) {${LABEL_COLUMNS + 1}}`);

function least(numbers: number[]): number {
  return numbers.reduce((one, other) => Math.min(one, other), Number.MAX_SAFE_INTEGER);
}

/**
 * A label in two parts: as far as it fits before the code, and what follows the code. The condition of a branch is after two spaces.
 * VS Code shows its light bulb over the indentation: a label that is longer than the `beforeBulb` characters follows the code.
 */
export function parts(label: string, beforeBulb?: number): { start: string; rest: string } {
  const [words = '', condition = ''] = label.split('  ');
  if (beforeBulb !== undefined && words.length > beforeBulb) return { start: '', rest: label };
  return words.length > LABEL ? { start: `${words.slice(0, LABEL - 1)}…`, rest: label } : { start: words, rest: condition };
}

/** The column of strips after the code; those of longer lines follow their code. */
const COLUMN = 48;
/** Columns between such code and its strip. */
const AFTER_CODE = 2;

/** The columns between code of this width and the strip after it. */
export function spaceAfter(width: number): number {
  return Math.max(COLUMN - width, AFTER_CODE);
}

/** The width of a text in columns. */
export function columns(text: string, tabSize: number): number {
  let width = 0;
  for (const char of text) {
    if (char === '\t') width += tabSize - (width % tabSize);
    else width += isWide(char) ? 2 : 1;
  }
  return width;
}

/** East Asian characters of two columns, which occur in comments only. */
function isWide(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xffdc && code < 0xd800) || code >= 0x1f300);
}
