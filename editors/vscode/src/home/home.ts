// Where the language server runs: a process on the computer, or a worker of the browser.
import type * as vscode from 'vscode';
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';

export interface Home {
  /** A client of a server that starts with it. */
  connect(options: LanguageClientOptions): Promise<BaseLanguageClient>;
  /** The program of the server, for a process of another kind. Fails with a sentence where none can be run. */
  program(): string;
  /** Gives the server the files that it may read for a document, where it cannot read them itself. */
  prepare?(document: vscode.TextDocument): Promise<void>;
  /** Gives the server a file that has changed. */
  changed?(file: vscode.Uri): Promise<void>;
}
