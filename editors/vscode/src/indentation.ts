// The indentation of documents that were opened before the extension was activated.
import * as vscode from 'vscode';
import { LANGUAGES } from './languages';

/** VS Code applies a language's defaults when it opens a document, but opens the first documents before it knows the defaults. */
export function applyIndentation(editors: readonly vscode.TextEditor[]): void {
  for (const editor of editors.filter(({ document }) => LANGUAGES.includes(document.languageId))) {
    const settings = vscode.workspace.getConfiguration('editor', editor.document);
    if (settings.get('detectIndentation')) continue;
    editor.options = { tabSize: settings.get<number>('tabSize'), insertSpaces: settings.get<boolean>('insertSpaces') };
  }
}
