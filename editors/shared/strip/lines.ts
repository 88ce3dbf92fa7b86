// Which statement of a line is drawn, and how faint. Pure.
import type { LaneLine, LaneMasks } from '../masks';
import { size } from './masks';

/** The lanes to draw, one for each line that is wanted. */
export function drawnLines(masks: LaneMasks, isWanted: (line: number) => boolean): LaneLine[] {
  const lines = new Map<number, LaneLine>();
  for (const line of masks.lines) {
    if (isWanted(line.line) && isPreferred(line, lines.get(line.line), masks)) lines.set(line.line, line);
  }
  return [...lines.values()];
}

/** If a line has several statements, the first one that some lane did not execute exactly once is drawn. */
function isPreferred(line: LaneLine, drawn: LaneLine | undefined, masks: LaneMasks): boolean {
  return drawn === undefined || (isFull(drawn, masks) && !isFull(line, masks));
}

/** Whether every launched lane executed the statement once. */
function isFull(line: LaneLine, masks: LaneMasks): boolean {
  const [visit] = line.visits;
  return line.count === 1 && line.role !== 'join' && !line.parts && visit !== undefined && size(visit.executed) === size(masks.launched);
}

/** The ending of the colors of a line that all lanes executed once. */
export function faint(line: LaneLine, masks: LaneMasks): '' | 'Faint' {
  return isFull(line, masks) ? 'Faint' : '';
}
