// The selected launch of each document, kept for the next start of the server and of the window.
import type * as vscode from 'vscode';
import type { Selection } from './generated/messages';

const KEY = 'warplens.selections';
/** The number of documents whose selection is kept. */
const KEPT = 100;

export class Selections {
  constructor(private readonly state: vscode.Memento) {}

  /** The selection of a document, if its lanes were shown last. */
  of(uri: string): Selection | undefined {
    return this.all().find((selection) => selection.uri === uri);
  }

  keep(selection: Selection): void {
    const others = this.all().filter((other) => other.uri !== selection.uri);
    const kept = selection.launch === null ? others : [...others, selection];
    void this.state.update(KEY, kept.slice(-KEPT));
  }

  private all(): Selection[] {
    return this.state.get<Selection[]>(KEY, []);
  }
}
