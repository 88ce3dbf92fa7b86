// Colours of the code: the semantic tokens of the server, for the visible lines.
import { LSPPlugin } from '@codemirror/lsp-client';
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { Client } from './client';

/** How long the text must stay unchanged, in milliseconds. */
const DELAY = 30;
/** Lines above and below the visible ones. */
const MARGIN = 50;

/** The types that the server is told, in the order of its answers. */
interface Legend {
  tokenTypes: string[];
  tokenModifiers: string[];
}

export function tokens(client: Client) {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet = Decoration.none;
      private timer?: ReturnType<typeof setTimeout>;

      constructor(private readonly view: EditorView) {
        this.schedule(0);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged) this.decorations = this.decorations.map(update.changes);
        if (update.docChanged || update.viewportChanged) this.schedule(DELAY);
      }

      destroy(): void {
        clearTimeout(this.timer);
      }

      private schedule(delay: number): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.load(), delay);
      }

      private async load(): Promise<void> {
        const { view } = this;
        const plugin = LSPPlugin.get(view);
        if (!plugin) return;
        const { doc } = view.state;
        const first = Math.max(doc.lineAt(view.viewport.from).number - 1 - MARGIN, 0);
        const end = Math.min(doc.lineAt(view.viewport.to).number + MARGIN, doc.lines);
        const range = { start: { line: first, character: 0 }, end: { line: end - 1, character: doc.line(end).length } };
        const answer = await client
          .request<{ data: number[] } | null>('textDocument/semanticTokens/range', { textDocument: { uri: plugin.uri }, range })
          .catch(() => null);
        const provider = client.lsp.serverCapabilities?.semanticTokensProvider as { legend: Legend } | undefined;
        // An answer about an older text is followed by another one.
        if (!answer || !provider || view.state.doc !== doc) return;
        this.decorations = decorate(answer.data, provider.legend, view);
        view.dispatch({});
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

/** Each token has five numbers: lines after the last token, characters after it, its length, type and modifiers. */
function decorate(data: number[], { tokenTypes }: Legend, view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  let line = 0;
  let character = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lines = 0, characters = 0, length = 0, type = 0] = data.slice(at, at + 4);
    character = lines === 0 ? character + characters : characters;
    line += lines;
    if (line >= doc.lines) break;
    const from = doc.line(line + 1).from + character;
    const name = tokenTypes[type];
    if (name && from + length <= doc.length) builder.add(from, from + length, Decoration.mark({ class: `token-${name}` }));
  }
  return builder.finish();
}
