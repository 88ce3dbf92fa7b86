// An editor of the page, its document at the server, and the lanes that it shows.
import { LSPPlugin } from '@codemirror/lsp-client';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type LaneMasks, requestMasks } from '../../shared/masks';
import type { Client } from './client';
import { editorState } from './editor';
import { INFO } from './languages';
import type { Kernel, Language } from './link';
import { type Diagnostic, type Fix, mark } from './problems';
import { lanesIn, showLanes } from './strips';

export interface PaneOptions {
  /** The folder of the document, which no other pane has. */
  folder: string;
  readOnly: boolean;
  nonce: string;
  /** Shows the fixes of a diagnostic. */
  fix: Fix;
  /** The diagnostics have changed. */
  diagnosed(diagnostics: Diagnostic[]): void;
  /** The number of runs that this pane waits for has changed. */
  waits(count: number): void;
  extensions: Extension[];
}

export class Pane {
  readonly view: EditorView;
  uri = '';
  language: Language = 'ptx';
  diagnostics: Diagnostic[] = [];
  private readonly changes = EditorView.updateListener.of(({ docChanged }) => {
    if (docChanged) void this.diagnose();
  });
  private latest = 0;
  private waiting = 0;

  constructor(
    parent: HTMLElement,
    private readonly client: Client,
    private readonly options: PaneOptions,
  ) {
    this.view = new EditorView({ parent, state: this.empty() });
    // Otherwise a keyboard could not scroll a text that nobody edits.
    this.view.scrollDOM.tabIndex = 0;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get kernel(): Kernel {
    return { text: this.text, language: this.language };
  }

  get masks(): LaneMasks | null {
    return lanesIn(this.view.state);
  }

  /** The line of the cursor, from 0. */
  get line(): number {
    const { doc, selection } = this.view.state;
    return doc.lineAt(selection.main.head).number - 1;
  }

  /** Shows another text. */
  open({ text, language }: Kernel): void {
    this.forget();
    this.language = language;
    this.diagnostics = [];
    this.uri = `${this.options.folder}/${INFO[language].file}`;
    const extensions = [this.options.extensions, this.changes];
    this.view.setState(editorState(text, { ...this.options, extensions, client: this.client, uri: this.uri, language }));
    void this.diagnose();
  }

  /** Closes the document, and leaves an empty editor. */
  close(): void {
    this.forget();
    this.uri = '';
    this.view.setState(this.empty());
  }

  /** Asks for the diagnostics of the text, and for the findings of its run. They never wait for a run. */
  async diagnose(): Promise<void> {
    const { view, client, options } = this;
    const { doc } = view.state;
    const params = { textDocument: { uri: this.uri } };
    const report = await client.request<{ items?: Diagnostic[] }>('textDocument/diagnostic', params).catch(() => undefined);
    // Those of an older text are followed by others.
    if (!report?.items || view.state.doc !== doc) return;
    this.diagnostics = report.items;
    mark(view, this.diagnostics, options.fix);
    options.diagnosed(this.diagnostics);
  }

  private empty(): EditorState {
    return EditorState.create({ extensions: EditorView.cspNonce.of(this.options.nonce) });
  }

  /** No answer about a run is shown any more. */
  forget(): void {
    this.latest++;
    this.wait(-this.waiting);
  }

  /** Shows what the server says about the run of this document, when it has ended; the first part of a long one earlier. */
  async fetch(): Promise<LaneMasks | null | undefined> {
    const id = ++this.latest;
    this.wait(1);
    try {
      const masks = await requestMasks(this.client, this.uri);
      if (id !== this.latest) return undefined;
      const plugin = LSPPlugin.get(this.view);
      const isCurrent = !masks || (plugin?.unsyncedChanges.empty && masks.version === this.client.lsp.workspace.getFile(this.uri)?.version);
      // After an edit the server runs the launch again and says so.
      if (!isCurrent) return undefined;
      this.view.dispatch({ effects: showLanes.of(masks ?? null) });
      return masks ?? null;
    } catch {
      // An edit came first, or the server was replaced.
      return undefined;
    } finally {
      if (this.waiting > 0) this.wait(-1);
    }
  }

  private wait(by: number): void {
    this.waiting += by;
    this.options.waits(this.waiting);
  }
}
