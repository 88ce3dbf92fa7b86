// An editor with the features of the language server.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import {
  findReferencesKeymap,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  renameKeymap,
  serverCompletion,
  signatureHelp,
} from '@codemirror/lsp-client';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
  tooltips,
} from '@codemirror/view';
import type { Client } from './client';
import { INFO } from './languages';
import type { Language } from './link';
import { strips } from './strips';
import { tokens } from './tokens';

export interface Options {
  client: Client;
  uri: string;
  language: Language;
  readOnly: boolean;
  /** The nonce of the style sheets that the page's policy allows. */
  nonce: string;
  /** What depends on the page. */
  extensions: Extension[];
}

/** The state of an editor that shows a text. */
export function editorState(text: string, { client, uri, language, readOnly, nonce, extensions }: Options): EditorState {
  const { title, id, comment } = INFO[language];
  return EditorState.create({
    doc: text,
    extensions: [
      extensions,
      EditorView.cspNonce.of(nonce),
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ 'aria-label': `${title} kernel`, spellcheck: 'false', translate: 'no' }),
      EditorState.languageData.of(() => [{ commentTokens: { line: comment } }]),
      EditorState.tabSize.of(8),
      indentUnit.of('\t'),
      lineNumbers(),
      lintGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      EditorState.allowMultipleSelections.of(true),
      bracketMatching(),
      closeBrackets(),
      autocompletion(),
      rectangularSelection(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      tooltips({ position: 'fixed' }),
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...formatKeymap,
        ...renameKeymap,
        ...jumpToDefinitionKeymap,
        ...findReferencesKeymap,
        // Escape, then Tab leaves the editor: the default keymap has it.
        indentWithTab,
      ]),
      client.lsp.plugin(uri, id),
      serverCompletion(),
      hoverTooltips(),
      signatureHelp(),
      strips(),
      tokens(client),
    ],
  });
}
