// A run in progress: how far it is, and a button that stops it. Shown above the last result, or alone if there is none.
import { h } from './dom';
import type { RunProgress } from './generated/run_progress';
import { grouped } from './lanes';

export class RunningNote {
  private readonly title = h('strong');
  private readonly count = h('span#running-steps');
  private readonly bar = h('progress', { 'aria-label': 'Warp instructions of the limit' }) as unknown as HTMLProgressElement;
  private readonly kept = h('span.dim');
  private readonly element: HTMLElement;

  constructor(
    private readonly root: HTMLElement,
    stop: () => void,
  ) {
    const button = h('button.secondary', { id: 'stop-run', onclick: stop }, 'Stop');
    this.element = h(
      'section',
      { id: 'warplens-running', 'aria-label': 'Run in progress', hidden: true },
      this.bar,
      h('div.numbers', h('span', { role: 'status' }, this.title), this.count, this.kept),
      button,
    );
    root.before(this.element);
  }

  /** Shows the progress of a run, or that none is in progress. */
  show(run: RunProgress | null, isAlone: boolean): void {
    this.element.hidden = run === null;
    this.element.classList.toggle('alone', isAlone);
    this.root.hidden = run !== null && isAlone;
    document.body.classList.toggle('is-running', run !== null && !isAlone);
    this.root.toggleAttribute('aria-busy', run !== null);
    if (!run) return;
    const title = `Running ${run.launch} ${run.entry}…`;
    // Screen readers read a status again whenever it is written.
    if (this.title.textContent !== title) this.title.textContent = title;
    this.count.textContent = `${grouped(run.steps)} of at most ${grouped(run.maxSteps)} warp instructions`;
    this.kept.textContent = isAlone ? 'The views show the run when it ends.' : 'The views keep the last result until the run ends.';
    this.bar.max = run.maxSteps;
    this.bar.value = run.steps;
  }
}
