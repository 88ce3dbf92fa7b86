// Diagnostics and findings: at the word, and as text in a list.

import { type Diagnostic as Shown, setDiagnostics } from '@codemirror/lint';
import { LSPPlugin } from '@codemirror/lsp-client';
import { EditorView } from '@codemirror/view';
import { type Child, fill, h } from '../../panel/src/dom';

/** A diagnostic as the server sends it. */
export interface Diagnostic {
  range: { start: Position; end: Position };
  severity?: 1 | 2 | 3 | 4;
  code?: string | number;
  source?: string;
  message: string;
}

export interface Position {
  line: number;
  character: number;
}

const SEVERITIES = { 1: 'error', 2: 'warning', 3: 'info', 4: 'hint' } as const;
/** Shows the fixes of a diagnostic of an editor. */
export type Fix = (view: EditorView, diagnostic: Diagnostic) => void;

/** Shows the diagnostics of the present text at their words. */
export function mark(view: EditorView, diagnostics: Diagnostic[], fix: Fix): void {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return;
  const shown = diagnostics.map((diagnostic): Shown => {
    const { range, severity = 1, message, source } = diagnostic;
    const [from, to] = [plugin.fromPosition(range.start), plugin.fromPosition(range.end)];
    return {
      from,
      to: Math.max(from, to),
      severity: SEVERITIES[severity],
      message,
      ...(source && { source }),
      actions: [{ name: 'Quick Fix…', apply: () => fix(view, diagnostic) }],
    };
  });
  view.dispatch(setDiagnostics(view.state, shown));
}

/** The list of problems of an editor. */
export function list(element: HTMLElement, view: EditorView, diagnostics: Diagnostic[], fix: Fix): void {
  fill(element, diagnostics.length > 0 ? diagnostics.map((diagnostic) => item(view, diagnostic, fix)) : h('li.none', 'No problems.'));
}

function item(view: EditorView, diagnostic: Diagnostic, fix: Fix): Child {
  const { range, severity = 1, code, message } = diagnostic;
  const href = pageOf(diagnostic);
  const [first = '', ...more] = message.split('\n');
  const name = SEVERITIES[severity];
  const place = h('button.place', { onclick: () => goTo(view, range.start) }, `Line ${range.start.line + 1}`);
  const page = href && h('a', { href, target: '_blank', rel: 'noopener' }, `${code ?? 'docs'}`);
  return h(
    `li.${name}`,
    h('span.severity', name),
    ' ',
    place,
    ' ',
    h('span.message', first),
    more.map((line) => h('div', line)),
    h('div.actions', page, h('button', { onclick: () => fix(view, diagnostic) }, 'Quick Fix…')),
  );
}

/** The page about a diagnostic, which is beside this one. */
function pageOf({ code, source }: Diagnostic): string | undefined {
  const folder = { warplens: 'diagnostics', 'warplens-sim': 'findings' }[source ?? ''];
  return folder && `docs/${folder}/${code}.html`;
}

/** Moves the cursor of an editor to a position, and shows it. */
export function goTo(view: EditorView, { line, character }: Position): void {
  const { doc } = view.state;
  const { from, to } = doc.line(Math.min(line, doc.lines - 1) + 1);
  const anchor = Math.min(from + character, to);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  view.focus();
}
