// A panel without a run: why there is none, and what to do.
import { fill, h } from './dom';

export function nothing(root: HTMLElement, title: string, text: string, actions: { label: string; run: () => void }[]): void {
  const buttons = actions.map(({ label, run }, at) =>
    h(`button.${at === 0 ? 'primary' : 'secondary'}`, { id: `action-${at}`, onclick: run }, label),
  );
  fill(root, h('div.nothing', h('h2', title), h('p.dim', text), h('p', buttons)));
}
