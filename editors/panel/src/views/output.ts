// The text that the kernel printed.

import { h } from '../dom';
import type { Buffers } from '../generated/answers';
import { count } from '../lanes';
import type { View } from '../view';

/** How many lines are drawn; the copied text has all. */
const MAX_LINES = 5000;

export const outputView: View<Buffers> = {
  label: 'Output',
  followsStep: false,
  legend: (_, content) => [
    content.output ? `${count(lines(content).length, 'line')} printed${content.output_truncated ? ', truncated' : ''}` : null,
  ],

  async load(stage) {
    const content = await stage.source.request('buffers', {});
    if (!content) throw new Error('The printed text is not known.');
    return content;
  },

  table: (_, content) => [['line', 'text'], ...lines(content).map((text, at) => [at + 1, text])],

  draw(_, content) {
    const all = lines(content);
    if (!all.length) return h('p.dim', 'The kernel printed nothing. Text that it prints with printf is shown here.');
    return h(
      'pre#printed.mono',
      all.slice(0, MAX_LINES).join('\n'),
      all.length > MAX_LINES ? `\n… ${count(all.length - MAX_LINES, 'more line')}` : '',
    );
  },
};

function lines({ output = '' }: Buffers): string[] {
  return output
    .replace(/\n$/, '')
    .split('\n')
    .slice(0, output ? undefined : 0);
}
