// The source line that each line of a compiled file belongs to, and the lines of several files that belong together. Pure.

import { type LineEdit, moved } from '../../shared/strip/positions';

/** A line of a source file, from 0. */
export interface SourceLine {
  uri: string;
  line: number;
}

/** A link of the server from a line with `.loc`, or with the comment of a disassembler, to a position in a source file. */
export interface SourceLink {
  line: number;
  target: string;
}

/** By line of a compiled file. */
export type SourceLines = (SourceLine | undefined)[];

const HEADER = /\/include\/|\.(h|hpp|inl)$/;
const LOC = /^\s*\.loc\b/;
const COMMENT = /^\s*\/\/## File "/;
/** Where a function, or a section of a listing, begins or ends. */
const END = /^}|^\s*(\.\w+\s+)*\.(entry|func)\b|^\s*\.section\b|^\s*Function : /;

/** By line, the source line; a line belongs to the last `.loc` or comment before it in its function. */
export function sourceLines(lines: string[], links: SourceLink[]): SourceLines {
  const places = new Map<number, SourceLine[]>();
  for (const { line, target } of links) {
    const place = placeOf(target);
    if (place) places.set(line, [...(places.get(line) ?? []), place]);
  }
  let current: SourceLine | undefined;
  // The comments above each other are the places of one instruction, the innermost first.
  let above: SourceLine[] = [];
  return lines.map((text, line) => {
    const isComment = COMMENT.test(text);
    if (isComment || LOC.test(text)) {
      // The second location of a line is the call of an inlined function.
      above = [...(isComment ? above : []), ...(places.get(line) ?? [])];
      current = above.find(({ uri }) => !HEADER.test(uri)) ?? above[0];
    } else {
      above = [];
      if (END.test(text)) current = undefined;
    }
    return current;
  });
}

/** `file:///src/k.cu#L20,5` */
function placeOf(target: string): SourceLine | undefined {
  const [, uri = '', line] = /^(.*)#L(\d+)(?:,\d+)?$/.exec(target) ?? [];
  return line === undefined ? undefined : { uri, line: Number(line) - 1 };
}

/**
 * The lines of all files that belong together with a line, by file: from machine code through PTX to CUDA and back. In the line's own
 * file these are the lines with the same source line.
 */
export function linesTogether(compiled: Map<string, SourceLines>, uri: string, line: number): Map<string, Set<number>> {
  const together = new Map([[uri, new Set([line])]]);
  for (const [at, lines] of together) {
    // Those of the files that are reached first from here.
    const found = new Map<string, Set<number>>();
    const add = (other: string, line: number) => {
      if (!together.has(other)) found.set(other, (found.get(other) ?? new Set()).add(line));
    };
    for (const line of lines) {
      const source = compiled.get(at)?.[line];
      if (source) add(source.uri, source.line);
    }
    for (const [other, places] of compiled) {
      places.forEach((place, line) => {
        if (place?.uri === at && lines.has(place.line)) add(other, line);
      });
    }
    // A map that grows is iterated to its end.
    for (const [other, lines] of found) together.set(other, lines);
  }
  const source = compiled.get(uri)?.[line];
  const own = together.get(uri);
  compiled.get(uri)?.forEach((place, other) => {
    if (source && place?.uri === source.uri && place.line === source.line) own?.add(other);
  });
  return together;
}

/** The source lines after an edit of a source file. */
export function movedLines(lines: SourceLines, uri: string, edit: LineEdit): SourceLines {
  return lines.map((place) => {
    if (place?.uri !== uri) return place;
    const line = moved(place.line, edit);
    return line === undefined ? undefined : { uri, line };
  });
}
