// The lanes of the open documents: requested when the server reports a change, and position-tracked through edits until then.
import * as vscode from 'vscode';
import { type LaneMasks, requestMasks } from '../../shared/masks';
import { type LineEdit, lineEdit, moved } from '../../shared/strip/positions';
import { LANGUAGES } from './languages';
import type { Server } from './server';
import { Subscriber } from './subscriber';

/** How many edits are kept, to move the lines of an answer that is older than them. */
const EDITS_KEPT = 1000;

interface Edits {
  version: number;
  edits: LineEdit[];
}

export class LaneStore extends Subscriber {
  private readonly masks = new Map<string, LaneMasks>();
  private readonly edits = new Map<string, Edits[]>();
  private readonly requests = new Map<string, number>();
  private readonly changed = new vscode.EventEmitter<string>();
  private readonly moved = new vscode.EventEmitter<string>();
  private latestRequest = 0;

  /** Fires with the address of a document whose lanes have changed. */
  readonly onDidChange = this.changed.event;

  /** Fires with the address of a document whose lanes have moved with an edit. */
  readonly onDidMove = this.moved.event;

  constructor(private readonly server: Server) {
    super();
    this.subscriptions.push(
      this.changed,
      this.moved,
      server.onDidChangeLanes((uri) => void this.fetch(uri)),
      server.onDidStop(() => this.clear()),
      vscode.workspace.onDidChangeTextDocument((event) => this.edit(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document.uri.toString())),
    );
  }

  /** The lanes that a document shows, at its current lines. */
  of(uri: string | undefined): LaneMasks | undefined {
    return this.masks.get(uri ?? '');
  }

  private clear(): void {
    for (const uri of [...this.masks.keys()]) this.forget(uri);
  }

  private forget(uri: string): void {
    this.edits.delete(uri);
    this.requests.delete(uri);
    if (this.masks.delete(uri)) this.changed.fire(uri);
  }

  /** An edit makes the request fail; the event after the next run repeats it. */
  private async fetch(uri: string): Promise<void> {
    const request = ++this.latestRequest;
    this.requests.set(uri, request);
    let masks: LaneMasks | null | undefined;
    try {
      masks = await requestMasks(this.server, uri);
    } catch {
      return;
    }
    if (this.requests.get(uri) !== request) return; // a later request is in progress
    if (masks) {
      const { version } = masks;
      const later = (this.edits.get(uri) ?? []).filter((edit) => edit.version > version);
      for (const edit of later.flatMap(({ edits }) => edits)) move(masks, edit);
      this.edits.set(uri, later);
      this.masks.set(uri, masks);
      this.server.follow(uri, masks.launch.name);
    } else {
      this.masks.delete(uri);
    }
    this.changed.fire(uri);
  }

  private edit({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (!LANGUAGES.includes(document.languageId) || contentChanges.length === 0) return;
    const uri = document.uri.toString();
    const edits = contentChanges.map(lineEdit);
    const kept = [...(this.edits.get(uri) ?? []), { version: document.version, edits }];
    this.edits.set(uri, kept.slice(-EDITS_KEPT));
    const masks = this.masks.get(uri);
    if (!masks) return;
    for (const edit of edits) move(masks, edit);
    this.moved.fire(uri);
  }
}

/** Moves the lines of a run with an edit. */
function move(masks: LaneMasks, edit: LineEdit): void {
  masks.lines = masks.lines.flatMap((line) => {
    const to = moved(line.line, edit);
    return to === undefined ? [] : to === line.line ? [line] : [{ ...line, line: to }];
  });
  masks.not_run = masks.not_run.flatMap((line) => moved(line, edit) ?? []);
  masks.sources = masks.sources?.flatMap((source) => {
    const compiled = moved(source.compiled, edit);
    return compiled === undefined ? [] : [{ ...source, compiled }];
  });
  masks.findings = masks.findings.map((finding) => ({
    ...finding,
    line: finding.line === undefined ? undefined : moved(finding.line, edit),
    related: finding.related.flatMap((other) => {
      const line = moved(other.line, edit);
      return line === undefined ? [] : [{ ...other, line }];
    }),
  }));
}
