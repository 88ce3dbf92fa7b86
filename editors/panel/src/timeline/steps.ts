// Which steps a window of the time line shows: of equal iterations, only the first. Pure.
import type { Repeat } from '../generated/answers';

export interface Steps {
  /** The number of steps that are shown. */
  shown: number;
  /** The repeats within the window. */
  repeats: Repeat[];
  /** The position of a step among those that are shown; in a later iteration that of the first one. */
  position(step: number): number;
  /** The step at a position. */
  at(position: number): number;
}

export function stepsOf(from: number, to: number, all: Repeat[] = []): Steps {
  const repeats = all.filter(({ step, length, count }) => from <= step && step + length * count <= to);
  const hidden = ({ length, count }: Repeat) => (count - 1) * length;
  return {
    shown: to - from - repeats.reduce((sum, repeat) => sum + hidden(repeat), 0),
    repeats,
    position(step) {
      let before = from;
      for (const repeat of repeats) {
        const past = step - repeat.step;
        if (past < 0) break;
        if (past < repeat.length * repeat.count) return repeat.step - before + (past % repeat.length);
        before += hidden(repeat);
      }
      return step - before;
    },
    at(position) {
      let step = from + position;
      for (const repeat of repeats) {
        if (step < repeat.step + repeat.length) break;
        step += hidden(repeat);
      }
      return step;
    },
  };
}
