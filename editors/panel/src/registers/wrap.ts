// In how many rows the values of a register fit. Pure.

/** The widths of a digit, and of the edges of a cell. */
const DIGIT = 7.3;
const SMALL_DIGIT = 6.1;
const EDGES = 4;
/** The most rows of a register. */
const MOST_ROWS = 8;

export interface Wrap {
  /** The rows; 0 if the values are too long for numbers. */
  rows: number;
  isSmall: boolean;
}

/** The fewest rows in which values of `length` characters fit in `width` pixels; digits are smaller before there are more rows. */
export function wrapOf(length: number, lanes: number, width: number): Wrap {
  for (let rows = 1; rows <= MOST_ROWS; rows *= 2) {
    const space = (width * rows) / lanes - EDGES;
    if (length * DIGIT <= space) return { rows, isSmall: false };
    if (length * SMALL_DIGIT <= space) return { rows, isSmall: true };
  }
  return { rows: 0, isSmall: true };
}
