// The lanes of source files beside compiled ones: those of each line, as the server adds them up, of the run that the compiled document shows.
import * as vscode from 'vscode';
import type { LaneLine, LaneMasks } from '../../shared/masks';
import { keyOf, type LinkedDocuments } from './linked';
import type { SourceLines } from './source_lines';
import type { LaneStore } from './store';
import { Subscriber } from './subscriber';

export class SourceLanes extends Subscriber {
  /** The lanes of the sources that were asked for since the last change, by key. */
  private readonly known = new Map<string, LaneMasks | undefined>();
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when the lanes of any source may have changed. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly store: LaneStore,
    private readonly linked: LinkedDocuments,
  ) {
    super();
    this.subscriptions.push(
      this.changed,
      store.onDidChange((uri) => this.update(keyOf(vscode.Uri.parse(uri)))),
      linked.onDidChange((key) => this.update(key)),
    );
  }

  /** The lanes of a source, from the first linked document that was compiled from it and shows lanes. */
  of({ uri }: vscode.TextDocument): LaneMasks | undefined {
    const key = keyOf(uri);
    if (!this.known.has(key)) this.known.set(key, this.lanes(key));
    return this.known.get(key);
  }

  /** A run, or what links a document with its sources, is another one. While an edit waits, the lines of both do not fit. */
  private update(compiled: string): void {
    if (!this.linked.isCurrent(compiled)) return;
    this.known.clear();
    this.changed.fire();
  }

  private lanes(source: string): LaneMasks | undefined {
    for (const { uri } of vscode.workspace.textDocuments) {
      const masks = this.store.of(uri.toString());
      const lines = this.linked.sourceLines(keyOf(uri));
      if (masks && lines?.some((line) => line?.uri === source)) return inSource(masks, lines, source);
    }
    return undefined;
  }
}

/** The lanes of a compiled document as those of a source. */
function inSource(masks: LaneMasks, compiled: SourceLines, source: string): LaneMasks {
  const place = (line: number) => (compiled[line]?.uri === source ? compiled[line]?.line : undefined);
  const lines = (masks.sources ?? []).flatMap(({ compiled, active, executed, label }): LaneLine[] => {
    const line = place(compiled);
    return line === undefined ? [] : [{ line, count: 1, visits: [{ active, executed, repeat: 1 }], label, chosen: null }];
  });
  const notRun = new Set(masks.not_run.flatMap((line) => place(line) ?? []));
  return { ...masks, lines, not_run: [...notRun].sort((a, b) => a - b), findings: [] };
}
