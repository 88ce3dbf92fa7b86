// The page: puts the parts together.
import { EditorView, keymap, type ViewUpdate } from '@codemirror/view';
import { parse } from 'smol-toml';
import type { LaneMasks } from '../../shared/masks';
import { selectionOf, shapeOf } from '../../shared/masks';
import { Client, ROOT } from './client';
import { Comparison } from './compare';
import { element } from './elements';
import { type Example, exampleOf, examples } from './examples';
import { Fixes } from './fixes';
import { Form, type Launch, launchFile } from './form';
import { LanesPanel } from './lanes_panel';
import { INFO } from './languages';
import { decodeFragment, type Language, type LinkState } from './link';
import { keepOffline } from './offline';
import { Pane } from './pane';
import { type Fix, goTo, list } from './problems';
import { save } from './save';
import { linkTo, markdown, vscodeLink } from './share';
import { LanguageTabs } from './tabs';
import { applyTheme } from './theme';
import { WarpList } from './warps';

declare const NONCE: string;

const query = new URLSearchParams(location.search);
const isExercise = query.has('exercise');
const readOnly = query.has('embed') && query.has('readonly');
document.body.classList.toggle('embed', query.has('embed'));
// The panel has the height of its place.
document.body.classList.add('warplens-webview');

const run = element<HTMLButtonElement>('page-run');
const stop = element<HTMLButtonElement>('page-stop');
const status = element('page-status');
const problems = element('page-problems');
/** What the tabs of other languages show when they are chosen again. */
const kept = new Map<Language, Example>();
/** What a link says about the next run. */
let wanted: Partial<LinkState> = {};
let isStarted = false;
/** What a run is in progress for. */
const busy = new Set<'form' | 'lanes' | 'progress'>();
/** The time after which it is shown that the lanes of an edit are not there yet, in milliseconds: most take less, and *Run* stays. */
const PATIENCE = 200;
let patience: ReturnType<typeof setTimeout> | undefined;
/** The number of runs that were asked for. Answers about all but the last are of no use. */
let asked = 0;

const client: Client = new Client({
  lanesChanged: (uri) => void update(uri),
  progress: (uri, running) => {
    if (uri === main.uri) setBusy('progress', running !== null);
  },
  message: say,
});

const fixes: Fixes = new Fixes(client, element('page-menu'));
const fix: Fix = (view, diagnostic) => void fixes.show(view, paneOf(view).diagnostics, diagnostic);
const keys = keymap.of([
  { key: 'Mod-.', run: (view) => handled(fixes.show(view, paneOf(view).diagnostics)) },
  { key: 'Mod-Enter', run: () => handled(runForm()) },
]);
const cursor = EditorView.updateListener.of((update) => {
  if (update.selectionSet) panel.follow(main.line, main.masks);
  if (update.docChanged && replacesAll(update)) form.forgetKernel();
});
const main: Pane = new Pane(element('page-editor'), client, {
  folder: ROOT,
  readOnly,
  nonce: NONCE,
  extensions: [keys, cursor],
  fix,
  diagnosed: (diagnostics) => list(problems, main.view, diagnostics, fix),
  waits(count) {
    if (count > 0) patience ??= setTimeout(setBusy, PATIENCE, 'lanes', true);
    else stopWaiting();
  },
});
const other: Pane = new Pane(element('page-other-editor'), client, {
  folder: `${ROOT}/other`,
  readOnly,
  nonce: NONCE,
  extensions: [keys],
  fix,
  diagnosed: () => undefined,
  waits: () => undefined,
});
const panel: LanesPanel = new LanesPanel(element('warplens-panel'), client, {
  line(line, focus) {
    const { from } = main.view.state.doc.line(line + 1);
    main.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'nearest' }) });
    if (focus) main.view.focus();
  },
  visit: (line, visit) => void client.execute('warplens.selectVisit', { uri: main.uri, line, visit }).catch(() => undefined),
  warp: (cta, warp) => void selectWarp(cta, warp),
});
const form = new Form(isExercise, () => void runForm());
const comparison = new Comparison(client, main, other, say);
const warps = new WarpList((cta, warp) => void selectWarp(cta, warp));
const tabs = new LanguageTabs(choose);

/** Whether a new text took the place of the whole old one. */
function replacesAll({ changes, startState }: ViewUpdate): boolean {
  let isWhole = false;
  changes.iterChanges((from, to, _, __, inserted) => {
    isWhole = from === 0 && to === startState.doc.length && inserted.length > 0;
  });
  return isWhole;
}

function paneOf(view: EditorView): Pane {
  return view === other.view ? other : main;
}

function handled(_: Promise<void>): true {
  return true;
}

function say(text: string): void {
  status.textContent = text;
}

function setBusy(cause: 'form' | 'lanes' | 'progress', is: boolean): void {
  if (is) busy.add(cause);
  else busy.delete(cause);
  showBusy();
}

function stopWaiting(): void {
  clearTimeout(patience);
  patience = undefined;
  setBusy('lanes', false);
}

function showBusy(): void {
  run.disabled = busy.size > 0 || !isStarted;
  stop.hidden = busy.size === 0;
}

/** Runs the launch of the form. */
async function runForm(): Promise<void> {
  if (!isStarted || busy.has('form')) return;
  const id = ++asked;
  setBusy('form', true);
  form.say('');
  const { cta, warp, line, visit } = wanted;
  wanted = {};
  const { uri } = main;
  try {
    if (client.hasEnded) await client.start();
    const launch = form.read();
    client.configure({ maxSteps: form.maxSteps });
    const entry = typeof launch?.entry === 'string' ? { entry: launch.entry } : {};
    await client.execute('warplens.selectLaunch', { uri, ...(launch && { launch }), ...entry, ...(cta && { cta }), ...(warp && { warp }) });
    const hasVisit = line !== undefined && visit !== undefined && id === asked;
    if (hasVisit) await client.execute('warplens.selectVisit', { uri, line, visit }).catch(() => undefined);
    if (id === asked) await update(uri);
  } catch (error) {
    if (id === asked) form.say((error as Error).message);
  } finally {
    if (id === asked) setBusy('form', false);
  }
}

/** Shows the lanes that the server has for a document. */
async function update(uri: string): Promise<void> {
  const pane = [main, other].find((pane) => pane.uri === uri);
  void pane?.diagnose();
  if (pane === other) await other.fetch();
  if (pane !== main) return;
  const masks = await main.fetch();
  if (masks === undefined || uri !== main.uri) return;
  panel.show(uri, masks, main.view);
  warps.show(masks);
  if (!masks) return;
  form.hint(masks.launch.grid, masks.launch.block);
  say(sentence(masks));
  if (isExercise && !masks.partial) judge(masks);
  await comparison.follow();
}

/** `saxpy<<<2, 64>>>, launch form: finished, no findings` */
function sentence(masks: LaneMasks): string {
  const { source_name, entry, launch, status, findings, partial, outdated, missing, output } = masks;
  const found = findings.length === 0 ? 'no findings' : findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  const ended = partial ? 'the first part of the run' : status;
  const lacks = missing.length > 0 && !partial ? ` Incomplete: ${missing[0]}.` : '';
  const old = outdated ? ' These are the lanes before the last edits, which cannot be run.' : '';
  const printed = output ? ' The kernel printed text: see Output.' : '';
  return `${source_name ?? entry}${shapeOf(launch)}, launch ${launch.name}: ${ended}, ${found}.${lacks}${old}${printed}`;
}

/** Says whether the exercise is solved: the run has ended and neither it nor the expected contents have an error. */
function judge({ status, findings, outdated }: LaneMasks): void {
  const error = findings.find(({ severity }) => severity === 'error');
  const isSolved = status === 'finished' && !error && !outdated;
  element('page-task').dataset.solved = `${isSolved}`;
  say(isSolved ? 'Solved: the run has the expected results.' : `Not yet: ${error?.message.split('\n')[0] ?? status}`);
}

async function selectWarp(cta: number[], warp: number): Promise<void> {
  const { masks, uri } = main;
  if (!masks) return;
  await client.execute('warplens.selectLaunch', { ...selectionOf(uri, masks), cta, warp }).catch((error: Error) => say(error.message));
  await update(uri);
}

/** Shows a kernel with its launch, and runs it. */
function open({ text, language, launch, compare, ...rest }: LinkState | Example): void {
  const { task, tab, line } = rest as LinkState;
  wanted = rest as LinkState;
  main.open({ text, language });
  panel.show(main.uri, null, main.view);
  panel.tab = tab;
  form.write(launch, task);
  form.offerModels(modelsOf(language));
  list(problems, main.view, [], fix);
  tabs.show(language);
  const exercise = element('page-task');
  exercise.hidden = !isExercise || !task;
  exercise.textContent = task ?? '';
  if (compare) comparison.show(compare);
  else if (comparison.isOn) comparison.hide();
  if (line !== undefined) goTo(main.view, { line, character: 0 });
  setBusy('form', false);
  void runForm();
}

function modelsOf(language: Language) {
  return client.models.filter((model) => model.language === INFO[language].id || (language === 'sass' && model.language === 'sass'));
}

/** The launch of the form, or none if it describes none. */
function formLaunch(): Launch | undefined {
  try {
    return form.read();
  } catch {
    return undefined;
  }
}

/** What a link holds now. */
function state(): LinkState {
  const { masks, line } = main;
  const launch = formLaunch();
  const { name: _, ...keys } = launch ?? {};
  const isFirst = !masks || (masks.warp === 0 && masks.cta.every((index) => index === 0));
  const visit = masks?.visit;
  const at = visit?.line ?? line;
  return {
    ...main.kernel,
    ...(launch && { launch: keys }),
    ...(!isFirst && { cta: masks.cta, warp: masks.warp }),
    ...(at > 0 && { line: at }),
    ...(visit && { visit: visit.number }),
    ...(panel.tab !== 'timeline' && { tab: panel.tab }),
    ...(comparison.isOn && { compare: other.kernel }),
    ...(form.exercise && { task: form.exercise }),
  };
}

/** Opens the state in the address, or the first example; a bad link is reported. */
function openAddress(): void {
  const alert = element('page-alert');
  const fragment = location.hash.slice(1);
  const decoded = fragment === '' ? exampleOf('ptx') : decodeFragment(fragment);
  alert.hidden = !('error' in decoded);
  alert.textContent = 'error' in decoded ? `The link cannot be opened. ${decoded.error}` : '';
  open('error' in decoded ? exampleOf('ptx') : decoded);
}

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    say(`The browser does not let the page copy: ${text}`);
  }
}

async function copyLink(): Promise<void> {
  try {
    const link = linkTo(state());
    history.replaceState(null, '', link);
    await copy(link, 'Link');
  } catch (error) {
    say((error as Error).message);
  }
}

function download(): void {
  const { file } = INFO[main.language];
  save(file, main.text);
  const launch = formLaunch();
  if (launch) save('warplens.toml', launchFile(launch, file));
}

/** Ends the worker with its run, and starts another one. */
async function stopRun(): Promise<void> {
  isStarted = false;
  asked++;
  main.forget();
  other.forget();
  busy.clear();
  await client.start();
  isStarted = true;
  showBusy();
  panel.show(main.uri, null, main.view);
  say('Stopped.');
}

async function inferArguments(): Promise<void> {
  try {
    form.writeArguments(await inferred());
  } catch (error) {
    form.say((error as Error).message);
  }
}

/** The arguments that the server infers for the kernel. */
async function inferred(): Promise<unknown> {
  const { table } = await client.execute<{ table: string }>('warplens.draftLaunch', { uri: main.uri });
  const [launch] = parse(table).launch as { args?: unknown }[];
  return launch?.args ?? [];
}

function choose(language: Language): void {
  if (language === main.language) return;
  kept.set(main.language, { title: '', ...state() });
  open(kept.get(language) ?? exampleOf(language));
}

const menu = element<HTMLSelectElement>('page-examples');
menu.replaceChildren(new Option('choose…', ''), ...examples.map(({ title }, at) => new Option(title, `${at}`)));
menu.addEventListener('change', () => {
  const example = examples[Number(menu.value)];
  if (menu.value !== '' && example) open(example);
  menu.value = '';
});
run.addEventListener('click', () => void runForm());
stop.addEventListener('click', () => void stopRun());
element('page-copy').addEventListener('click', () => void copyLink());
element('page-markdown').addEventListener('click', () => void copy(markdown(main.kernel, main.masks, linkTo(state())), 'Markdown'));
element('page-download').addEventListener('click', download);
element('page-infer').addEventListener('click', () => void inferArguments());
const vscode = element<HTMLAnchorElement>('page-vscode');
vscode.addEventListener('click', () => {
  vscode.href = vscodeLink(state());
});
const whole = element<HTMLAnchorElement>('page-whole');
whole.addEventListener('click', () => {
  whole.href = linkTo(state());
});
addEventListener('hashchange', openAddress);
applyTheme(query.get('theme'), () => panel.redraw());
openAddress();
await client.start();
isStarted = true;
form.offerModels(modelsOf(main.language));
showBusy();
await runForm();
await keepOffline();
