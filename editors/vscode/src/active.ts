// The editor and the document that commands apply to.
import * as vscode from 'vscode';
import { LANGUAGES } from './languages';

/** The active editor. If another view is active, such as the walkthrough: the first visible editor with one of our languages. */
export function activeEditor(): vscode.TextEditor | undefined {
  const isOurs = ({ document }: vscode.TextEditor) => LANGUAGES.includes(document.languageId);
  return vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find(isOurs);
}

/** The active document, if Warplens knows its language. */
export function activeDocument(): vscode.TextDocument | undefined {
  const document = activeEditor()?.document;
  return document && LANGUAGES.includes(document.languageId) ? document : undefined;
}

export function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
  return editorAt(document.uri.toString());
}

/** The first visible editor of the document with this address. */
export function editorAt(uri: string | undefined): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri);
}
