// The label after a strip: at most 14 characters. Pure.
import { size, type Visits } from './masks';

/** What the label needs of a line of `warplens/laneMasks`. */
export interface Labelled extends Visits {
  /** The effect of the statement on groups of lanes. */
  role?: 'branch' | 'join';
  /** The sizes of the groups after a statement with several targets. */
  parts?: number[];
  truncated?: boolean;
}

const MAX_LENGTH = 14;

/** `16`, `4 of 32`, `split 16|16`, `join 32`, `×4 32→8`. */
export function label(line: Labelled): string {
  const text = line.visits.length === 1 ? repeated(line) : several(line);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

function repeated(line: Labelled): string {
  const visit = line.visits[0];
  if (!visit) return '';
  const each = oneVisit(line, size(visit.active), size(visit.executed));
  return line.count > 1 ? `×${count(line.count)} ${each}` : each;
}

function oneVisit({ role, parts }: Labelled, active: number, executed: number): string {
  if (parts && parts.length > 1) return `split ${parts.join('|')}`;
  if (role === 'branch' && executed !== 0 && executed !== active) return `split ${executed}|${active - executed}`;
  if (executed !== active) return `${executed} of ${active}`;
  return role === 'join' ? `join ${active}` : `${active}`;
}

function several(line: Labelled): string {
  const times = `×${count(line.count)}`;
  const isBranch = line.role === 'branch';
  const splits = line.visits
    .filter(({ active, executed }) => size(executed) !== 0 && executed !== active)
    .reduce((sum, visit) => sum + visit.repeat, 0);
  if (isBranch && splits > 0) return `${times} splits ${count(splits)}`;
  const sizes = line.visits.map((visit) => size(isBranch ? visit.active : visit.executed));
  const [first = 0, last = 0] = [sizes[0], sizes[sizes.length - 1]];
  const ordered = sizes.every((now, index) => index === 0 || now <= (sizes[index - 1] ?? now));
  if (sizes.every((now) => now === first)) return `${times} ${first} each`;
  if (ordered && !line.truncated) return `${times} ${first}→${last}`;
  return `${times} ${Math.min(...sizes)}–${Math.max(...sizes)}`;
}

/** A number of visits in at most four characters. */
function count(visits: number): string {
  if (visits < 10_000) return `${visits}`;
  return visits < 1_000_000 ? `${Math.floor(visits / 1000)}k` : `${Math.floor(visits / 1_000_000)}M`;
}
