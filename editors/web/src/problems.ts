// Diagnostics and findings: at the word, and as text in a list.

import { type Diagnostic as Shown, setDiagnostics } from '@codemirror/lint';
import { type LSPClientExtension, LSPPlugin } from '@codemirror/lsp-client';
import { EditorView } from '@codemirror/view';
import { type Child, fill, h } from '../../panel/src/dom';

/** A diagnostic as the server sends it. */
export interface Diagnostic {
  range: { start: Position; end: Position };
  severity?: 1 | 2 | 3 | 4;
  code?: string | number;
  codeDescription?: { href: string };
  source?: string;
  message: string;
}

export interface Position {
  line: number;
  character: number;
}

interface Published {
  uri: string;
  version?: number;
  diagnostics: Diagnostic[];
}

const SEVERITIES = { 1: 'error', 2: 'warning', 3: 'info', 4: 'hint' } as const;
/** How long after an edit the server is told, in milliseconds: at once, but all edits of a key together. */
const SYNC_DELAY = 0;

/** What the editors do about a diagnostic. */
export interface Actions {
  /** Shows the fixes of a diagnostic. */
  fix(view: EditorView, diagnostic: Diagnostic): void;
  /** The diagnostics of an editor have changed. */
  changed(view: EditorView, diagnostics: Diagnostic[]): void;
}

/** Keeps the server's text up to date, and shows what it says about it. */
export function diagnostics(actions: Actions, viewOf: (uri: string) => EditorView | undefined): LSPClientExtension {
  return {
    clientCapabilities: {
      textDocument: {
        publishDiagnostics: { versionSupport: true, codeDescriptionSupport: true, relatedInformation: true },
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } }, isPreferredSupport: true },
        semanticTokens: { requests: { range: true, full: true }, tokenTypes: [], tokenModifiers: [], formats: ['relative'] },
      },
    },
    notificationHandlers: {
      'textDocument/publishDiagnostics': (client, { uri, version, diagnostics }: Published) => {
        const file = client.workspace.getFile(uri);
        const view = viewOf(uri);
        // Those of an older text are followed by others.
        if (!file || !view || (version !== undefined && version !== file.version)) return true;
        show(view, diagnostics, actions);
        actions.changed(view, diagnostics);
        return true;
      },
    },
    editorExtension: syncing(),
  };
}

function show(view: EditorView, diagnostics: Diagnostic[], actions: Actions): void {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return;
  const place = (position: Position) => plugin.unsyncedChanges.mapPos(plugin.fromPosition(position, plugin.syncedDoc));
  const shown = diagnostics.map((diagnostic): Shown => {
    const { range, severity = 1, message, source } = diagnostic;
    const [from, to] = [place(range.start), place(range.end)];
    return {
      from,
      to: Math.max(from, to),
      severity: SEVERITIES[severity],
      message,
      ...(source && { source }),
      actions: [{ name: 'Quick Fix…', apply: () => actions.fix(view, diagnostic) }],
    };
  });
  view.dispatch(setDiagnostics(view.state, shown));
}

function syncing() {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return EditorView.updateListener.of(({ docChanged, view }) => {
    if (!docChanged) return;
    clearTimeout(timer);
    timer = setTimeout(() => LSPPlugin.get(view)?.client.sync(), SYNC_DELAY);
  });
}

/** The list of problems of an editor. */
export function list(element: HTMLElement, view: EditorView, diagnostics: Diagnostic[], actions: Actions): void {
  fill(element, diagnostics.length > 0 ? diagnostics.map((diagnostic) => item(view, diagnostic, actions)) : h('li.none', 'No problems.'));
}

function item(view: EditorView, diagnostic: Diagnostic, actions: Actions): Child {
  const { range, severity = 1, code, codeDescription, message } = diagnostic;
  const [first = '', ...more] = message.split('\n');
  const name = SEVERITIES[severity];
  const place = h('button.place', { onclick: () => goTo(view, range.start) }, `Line ${range.start.line + 1}`);
  const page = codeDescription && h('a', { href: codeDescription.href, target: '_blank', rel: 'noopener' }, `${code ?? 'docs'}`);
  return h(
    `li.${name}`,
    h('span.severity', name),
    ' ',
    place,
    ' ',
    h('strong', first),
    more.map((line) => h('div', line)),
    h('div.actions', page, h('button', { onclick: () => actions.fix(view, diagnostic) }, 'Quick Fix…')),
  );
}

/** Moves the cursor of an editor to a position, and shows it. */
export function goTo(view: EditorView, { line, character }: Position): void {
  const { doc } = view.state;
  const { from, to } = doc.line(Math.min(line, doc.lines - 1) + 1);
  const anchor = Math.min(from + character, to);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  view.focus();
}
