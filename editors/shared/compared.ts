// The answer of `warplens/compare`, and its sentences. Pure.
import type { Compared, Writer } from '../vscode/src/generated/compared';
import type { ComparedCode } from '../vscode/src/generated/messages';

export type Answer = Compared & ComparedCode;

/** What one side shows, and where; without a place it is the kernel. */
export interface Side {
  message: string;
  at?: { line: number; character: number };
}

/** `k.ptx and its machine code agree: 101 launches, …` */
export function agreement(name: string, other: string, { compared, not_compared, contraction, target, warning }: Answer): string {
  const { launches, buffers, elements } = compared;
  const counts = [count(launches, 'launch', 'launches'), count(buffers, 'buffer', 'buffers'), count(elements, 'element', 'elements')];
  const code = target ? `${other} for ${target}` : other;
  const fused = contraction ? ' if `mul` and `add` without a rounding modifier are fused, which the assembler may do' : '';
  const less = warning ? `only ${counts[0]} compared: ${warning}. ` : '';
  return `${less}${name} and ${code} agree${fused}: ${counts.join(', ')}. Not compared: ${not_compared.join(', ')}.`;
}

/** The first difference: a sentence about both, and one for each side. */
export function differenceOf(compared: Answer, names: [string, string]): { title: string; sides: [Side, Side] } {
  const { difference, buffers, output, runs, launch } = compared;
  const found = buffers[0];
  if (difference && found) {
    const what = `${difference.buffer}[${difference.element}]`;
    const writers = [difference.a_writer, difference.b_writer];
    const side = (index: number): Side => {
      const writer = writers[index];
      const here = `${what} is ${found.values[index]} here and ${found.values[1 - index]} in ${names[1 - index]}`;
      return {
        message: `${here} (launch ${launch.name}); ${writer ? `stored by ${thread(writer)}` : 'no thread stored it here'}`,
        at: placeOf(writer),
      };
    };
    const more = `${found.differing} of ${count(found.elements, 'element', 'elements')} differ`;
    const title = `${what} is ${found.values[0]} in ${names[0]} and ${found.values[1]} in ${names[1]} (launch ${launch.name}; ${more})`;
    return { title, sides: [side(0), side(1)] };
  }
  if (output) {
    const text = (index: number) => output.texts[index] ?? 'no further line';
    const title = `line ${output.line} of the printed text differs: “${text(0)}” in ${names[0]}, “${text(1)}” in ${names[1]}`;
    return { title, sides: [{ message: title }, { message: title }] };
  }
  const ended = runs.map(({ status }, index) => `${names[index]} ${status}`).join(', ');
  const title = `the results were not compared (launch ${launch.name}): ${ended}`;
  const side = (run: Compared['runs'][number] | undefined): Side => ({
    message: run?.error ? `${title}: ${run.error.message}` : title,
    at: placeOf(run?.error),
  });
  return { title, sides: [side(runs[0]), side(runs[1])] };
}

function placeOf(at: { line?: number; character?: number } | null | undefined): Side['at'] {
  return at?.line === undefined ? undefined : { line: at.line, character: at.character ?? 0 };
}

function thread({ cta, warp, lane }: Writer): string {
  return `lane ${lane} of warp ${warp} of block ${cta.join(',')}`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
