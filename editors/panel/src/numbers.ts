// Numbers as text. Pure.

/** The fewest digits, at most `most`, that are the value: as an `f32`, if they are at most nine. */
export function shortest(value: number, most: number): string {
  if (value === 0) return written(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  const rounded = most > 9 ? (text: number) => text : Math.fround;
  for (let digits = 1; digits < most; digits++) {
    const text = Number(value.toPrecision(digits));
    if (rounded(text) === value) return written(text);
  }
  return written(Number(value.toPrecision(most)));
}

/** At most three digits: `12.3K` */
export function compact(value: number): string {
  return value.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
}

function written(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
