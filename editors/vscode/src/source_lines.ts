// The source line that each line of a compiled file belongs to. Pure.

/** A line of a source file, from 0. */
export interface SourceLine {
  uri: string;
  line: number;
}

/** A link of the server from a line with `.loc` to a position in a source file. */
export interface SourceLink {
  line: number;
  target: string;
}

const HEADER = /\/include\/|\.(h|hpp|inl)$/;

/** By line, the source line; a line belongs to the last `.loc` before it in its function. */
export function sourceLines(lines: string[], links: SourceLink[]): (SourceLine | undefined)[] {
  const places = new Map<number, SourceLine[]>();
  for (const { line, target } of links) {
    const place = placeOf(target);
    if (place) places.set(line, [...(places.get(line) ?? []), place]);
  }
  let current: SourceLine | undefined;
  return lines.map((text, line) => {
    if (/^\s*\.loc\b/.test(text)) {
      // The second place of a line is that of the call of an inlined function.
      const here = places.get(line) ?? [];
      current = here.find(({ uri }) => !HEADER.test(uri)) ?? here[0];
    } else if (/^}|^\s*(\.\w+\s+)*\.(entry|func)\b/.test(text)) current = undefined;
    return current;
  });
}

/** `file:///src/k.cu#L20,5` */
function placeOf(target: string): SourceLine | undefined {
  const [, uri = '', line] = /^(.*)#L(\d+)(?:,\d+)?$/.exec(target) ?? [];
  return line === undefined ? undefined : { uri, line: Number(line) - 1 };
}
