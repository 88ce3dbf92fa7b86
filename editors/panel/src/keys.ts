// The keys of all views.
import type { Controls } from './view';

/** Handles a key; false if it has no meaning here. */
export function handleKey(panel: Controls, event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || ['SELECT', 'INPUT'].includes(target.tagName)) return false;
  const isArrow = event.key.startsWith('Arrow');
  if (target.getAttribute('role') === 'tab' && isArrow) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) panel.nextTab(by);
    return by !== undefined;
  }
  // Arrows scroll a table, and Enter presses a button.
  if (target.closest('#twin') && isArrow) return false;
  const action = actions(panel, event.shiftKey)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || (event.key === 'Enter' && target.tagName === 'BUTTON')) return false;
  action();
  return true;
}

function actions(panel: Controls, shift: boolean): Record<string, () => void> {
  const { step, lane, table, pinned } = panel.state;
  return {
    ArrowLeft: () => (shift ? panel.mark(-1, 'diverge') : panel.goTo(step - 1)),
    ArrowRight: () => (shift ? panel.mark(1, 'diverge') : panel.goTo(step + 1)),
    ArrowUp: () => panel.choose(lane - 1),
    ArrowDown: () => panel.choose(lane + 1),
    Home: () => panel.goTo(0),
    End: () => panel.goTo(panel.base.steps),
    ',': () => void panel.visit(-1),
    '.': () => void panel.visit(1),
    f: () => panel.mark(1, 'finding'),
    t: () => panel.set({ table: !table }),
    p: () => panel.set({ pinned: !pinned }),
    '+': () => panel.zoom(0.5),
    '=': () => panel.zoom(0.5),
    '-': () => panel.zoom(2),
    '0': () => panel.all(),
    Enter: () => panel.moment && panel.source.reveal?.(panel.moment.line, true),
  };
}
