// The indentation of documents that were opened before the extension was activated.
import * as vscode from 'vscode';
import { LANGUAGES } from './languages';

/** VS Code applies a language's defaults when a document is opened; the first ones are opened before they are known. */
export function applyIndentation(editors: readonly vscode.TextEditor[]): void {
  for (const editor of editors.filter(({ document }) => LANGUAGES.includes(document.languageId))) {
    const settings = vscode.workspace.getConfiguration('editor', editor.document);
    if (settings.get('detectIndentation')) continue;
    editor.options = { tabSize: settings.get<number>('tabSize'), insertSpaces: settings.get<boolean>('insertSpaces') };
  }
}
