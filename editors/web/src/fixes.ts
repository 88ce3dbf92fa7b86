// The fixes of a diagnostic, or of what is at the cursor: a menu of the server's code actions.
import { LSPPlugin } from '@codemirror/lsp-client';
import type { EditorView } from '@codemirror/view';
import { fill, h } from '../../panel/src/dom';
import type { Client } from './client';
import type { Diagnostic, Position } from './problems';

interface TextEdit {
  range: { start: Position; end: Position };
  newText: string;
}

interface CodeAction {
  title: string;
  edit?: { changes?: Record<string, TextEdit[]>; documentChanges?: { edits: TextEdit[] }[] };
}

export class Fixes {
  private shown?: EditorView;

  constructor(
    private readonly client: Client,
    private readonly menu: HTMLElement,
  ) {
    menu.addEventListener('keydown', (event) => this.key(event));
    menu.addEventListener('focusout', ({ relatedTarget }) => {
      if (!menu.contains(relatedTarget as Node | null)) this.close();
    });
  }

  /** Shows the fixes of a diagnostic, by default of all those at the cursor. */
  async show(view: EditorView, diagnostics: Diagnostic[], chosen?: Diagnostic): Promise<void> {
    const plugin = LSPPlugin.get(view);
    if (!plugin) return;
    const at = plugin.toPosition(view.state.selection.main.head);
    const range = chosen?.range ?? { start: at, end: at };
    const about = chosen ? [chosen] : diagnostics.filter(({ range: { start, end } }) => start.line <= at.line && at.line <= end.line);
    const params = { textDocument: { uri: plugin.uri }, range, context: { diagnostics: about, only: ['quickfix'] } };
    const { doc } = view.state;
    const actions = await this.client.request<CodeAction[] | null>('textDocument/codeAction', params).catch(() => null);
    if (view.state.doc !== doc) return;
    const offered = (actions ?? []).filter(({ edit }) => edit);
    const items = offered.map((action) =>
      h('button', { role: 'menuitem', tabindex: -1, onclick: () => this.apply(view, plugin, action) }, action.title),
    );
    fill(
      this.menu,
      items.length > 0 ? items : h('button', { role: 'menuitem', tabindex: -1, onclick: () => this.close() }, 'No fix is known'),
    );
    this.open(view, plugin.fromPosition(range.start));
  }

  private open(view: EditorView, at: number): void {
    const { menu } = this;
    this.shown = view;
    menu.hidden = false;
    const place = view.coordsAtPos(at) ?? view.dom.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(place.left, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(place.bottom + 2, innerHeight - menu.offsetHeight - 4))}px`;
    this.move(0);
  }

  private close(): void {
    this.menu.hidden = true;
    this.shown = undefined;
  }

  private apply(view: EditorView, plugin: LSPPlugin, { edit }: CodeAction): void {
    const edits = edit?.changes?.[plugin.uri] ?? edit?.documentChanges?.flatMap(({ edits }) => edits) ?? [];
    const changes = edits.map(({ range, newText }) => ({
      from: plugin.fromPosition(range.start),
      to: plugin.fromPosition(range.end),
      insert: newText,
    }));
    this.close();
    view.dispatch({ changes, userEvent: 'input.fix' });
    view.focus();
  }

  private key(event: KeyboardEvent): void {
    const { shown } = this;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) this.move(by);
    else if (event.key === 'Escape') {
      this.close();
      shown?.focus();
    } else return;
    event.preventDefault();
  }

  private move(by: number): void {
    const items = [...this.menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
    const now = items.indexOf(document.activeElement as HTMLElement);
    items[(Math.max(now, 0) + by + items.length) % items.length]?.focus();
  }
}
