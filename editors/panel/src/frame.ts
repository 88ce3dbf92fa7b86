// The parts around every view: the launch, the tabs, the stepper, and the sentence about the statement.
import { button, type Child, h, icon } from './dom';
import { count, grouped, lanesOf, share } from './lanes';
import { type PanelCommand, type RunInfo, TABS } from './messages';
import type { Controls } from './view';

/** The launch and its warp. */
export function pickers(panel: Controls): Child {
  const { run } = panel.source;
  return h('span.row.pickers', [
    picker(panel, 'launch', 'Launch', [h('strong', run.launch), h('span.dim', ` ${run.kernel}${run.shape}`)], 'warplens.pickLaunch'),
    picker(panel, 'block', 'Block', ['block ', h('strong', run.cta.join(','))], 'warplens.pickWarp'),
    picker(panel, 'warp', 'Warp', ['warp ', h('strong', run.warp), h('span.dim.of', ` of ${run.warps}`)], 'warplens.pickWarp'),
    picker(panel, 'model', 'Divergence model', ['model ', h('strong', run.model)], 'warplens.pickModel'),
  ]);
}

/** What the run found. */
export function facts(panel: Controls): Child {
  const { run } = panel.source;
  const { active, steps, width } = panel.base;
  const average = steps ? active / steps : 0;
  const found = run.findings.length;
  const first = run.findings[0];
  return h(
    'span.facts',
    run.outdated ? h('span.warning', 'before the last edits · ') : null,
    run.partial ? h('span.warning', 'first part of the run · ') : run.status !== 'finished' ? h('span.error', `${run.status} · `) : null,
    found ? h('span.error', { title: first?.message ?? '' }, `▲ ${count(found, 'finding')} · `) : h('span.none', 'no findings · '),
    verdict(run),
    h('strong', share(active, steps * width)),
    ' active',
    h('span.average', ', ', h('strong', average.toFixed(1)), ` of ${width} lanes`),
  );
}

/** What the run does not show, if it is about to be taken for a correct one. */
function verdict({ verdict, missing }: RunInfo): Child {
  if (verdict !== 'incomplete') return null;
  const [first] = missing;
  return h('span.warning', { title: missing.join('\n') }, `incomplete: ${first}${missing.length > 1 ? ', …' : ''} · `);
}

/** What the signs of a view mean: beside the sentence, or where there is no room, in a tooltip. */
export function legend(panel: Controls, symbols: Child[]): Child {
  if (!panel.isShort) return h('span.dim.legend', symbols);
  if (symbols.every((symbol) => !symbol)) return null;
  return h('span#legend.help', { tabindex: 0, role: 'note' }, h('span.mark', { 'aria-hidden': 'true' }, '?'), h('span.legend', symbols));
}

/** A button that opens a list of VS Code; text where there is none. */
function picker(panel: Controls, id: string, name: string, content: Child, command: PanelCommand): Child {
  const { source } = panel;
  if (!source.command) return h('span', content);
  return h(
    'button.picker',
    { id: `pick-${id}`, title: `${name}: pick another`, onclick: () => source.command?.(command) },
    content,
    h('span', { 'aria-hidden': 'true' }, ' ▾'),
  );
}

export function tabs(panel: Controls): Child[] {
  return TABS.map((id) => {
    const isChosen = panel.state.tab === id;
    const unexpected = id === 'buffers' ? panel.source.run.unexpected : 0;
    return h(
      'button',
      {
        role: 'tab',
        id: `tab-${id}`,
        'aria-selected': String(isChosen),
        'aria-controls': 'view',
        tabindex: isChosen ? 0 : -1,
        onclick: () => panel.set({ tab: id }),
      },
      panel.views[id].label,
      unexpected ? h('span.badge', { title: `${unexpected} unexpected elements` }, grouped(unexpected)) : null,
    );
  });
}

export function stepper(panel: Controls): Child[] {
  const { step } = panel.state;
  const { steps } = panel.base;
  const { moment } = panel;
  const isKnown = moment?.step === step;
  return [
    h(
      'span.row.tight',
      button('first', 'First step', icon('first'), () => panel.goTo(0)),
      button('previous', 'Previous step', icon('previous'), () => panel.goTo(step - 1)),
      h('span#step.mono', h('span.stepper-word', 'step '), `${grouped(steps ? step + 1 : 0)}/${grouped(steps)}`),
      button('next', 'Next step', icon('next'), () => panel.goTo(step + 1)),
      button('last', 'Last step', icon('last'), () => panel.goTo(steps)),
    ),
    h(
      'span.row.tight',
      h('span.dim.stepper-word', 'visit'),
      button('visit-back', 'Previous visit', icon('previous'), () => void panel.visit(-1)),
      h('span#visit.mono', isKnown ? `${grouped(moment.visit)}/${grouped(moment.visits)}` : '…'),
      button('visit-on', 'Next visit', icon('next'), () => void panel.visit(1)),
    ),
  ];
}

export function tools(panel: Controls): Child[] {
  const { table, pinned } = panel.state;
  return [
    button('table', 'Show as a table', icon('table'), () => panel.set({ table: !table }), { 'aria-pressed': String(table) }),
    button('copy-markdown', 'Copy as Markdown', icon('copy'), () => void panel.copy('markdown')),
    button('copy-csv', 'Copy as CSV', 'CSV', () => void panel.copy('csv')),
    panel.source.reveal
      ? button('pin', 'Pin: do not follow the cursor of the editor', icon('pin'), () => panel.set({ pinned: !pinned }), {
          'aria-pressed': String(pinned),
        })
      : null,
  ];
}

/** The statement of the moment, and its lanes. */
export function caption(panel: Controls): HTMLElement {
  const { moment, masks, source } = panel;
  const active = masks ? `${lanesOf(masks.active).length} of ${panel.base.width} lanes active` : '';
  if (!moment || moment.step !== panel.state.step) return h('span#sentence', active);
  const { executed } = moment;
  const isPartial = executed !== moment.active ? `, ${lanesOf(executed).length} executed` : '';
  const found = source.run.findings.filter((finding) => finding.line === moment.line).slice(0, 1);
  return h(
    'span#sentence',
    h('span.dim.mono', `line ${moment.line + 1} `),
    h('code', source.statement(moment.line)),
    ` ${active}${isPartial}`,
    found.map(({ code, message }) => [' ', h('span.error', `▲ ${code} `), message.split('\n')[0]]),
  );
}
