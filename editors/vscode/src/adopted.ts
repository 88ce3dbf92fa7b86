// Documents whose language is set because of their text. That happens once for each: afterwards the language is the user's choice.
import * as vscode from 'vscode';

export class Adopted implements vscode.Disposable {
  private readonly uris = new Set<string>();
  private readonly closing: vscode.Disposable;

  constructor() {
    // Changing the language closes a document and reopens it at once; a document that stays closed is forgotten.
    this.closing = vscode.workspace.onDidCloseTextDocument((closed) => {
      setTimeout(() => {
        const isOpen = vscode.workspace.textDocuments.some((open) => open.uri.toString() === closed.uri.toString());
        if (!isOpen) this.uris.delete(closed.uri.toString());
      }, 0);
    });
  }

  has(document: vscode.TextDocument): boolean {
    return this.uris.has(document.uri.toString());
  }

  adopt(document: vscode.TextDocument, language: string): void {
    if (this.has(document)) return;
    this.uris.add(document.uri.toString());
    void vscode.languages.setTextDocumentLanguage(document, language);
  }

  dispose(): void {
    this.closing.dispose();
  }
}

/** Whether the user's settings assign a language to this file. */
export function isAssociated(document: vscode.TextDocument): boolean {
  const associations = vscode.workspace.getConfiguration('files', document).get<Record<string, string>>('associations', {});
  const patterns = Object.keys(associations).map((pattern) => (pattern.includes('/') ? pattern : `**/${pattern}`));
  return patterns.some((pattern) => vscode.languages.match({ pattern }, document) > 0);
}
