// The lanes panel below the editor, the same as in VS Code.
import type { EditorView } from '@codemirror/view';
import { type Answers, type Method, messageOf, TABS, type Tab } from '../../panel/src/messages';
import { nothing } from '../../panel/src/nothing';
import { Panel } from '../../panel/src/panel';
import type { Source } from '../../panel/src/source';
import { restored } from '../../panel/src/state';
import { VIEWS } from '../../panel/src/views';
import type { LaneMasks } from '../../shared/masks';
import { type Lines, runInfo, textsOf } from '../../shared/run_info';
import type { Client } from './client';
import { save } from './save';

/** What the panel tells the page. */
export interface Shown {
  line(line: number, focus: boolean): void;
  visit(line: number, visit: number): void;
  warp(cta: number[], warp: number): void;
}

export class LanesPanel {
  private panel?: Panel;
  private readonly state = restored({});
  /** The line to which the panel moved the cursor. */
  private own?: number;

  constructor(
    private readonly root: HTMLElement,
    private readonly client: Client,
    private readonly shown: Shown,
  ) {}

  get tab(): Tab {
    return this.state.tab;
  }

  set tab(tab: string | undefined) {
    const known = TABS.find((other) => other === tab);
    if (!known) return;
    this.state.tab = known;
    this.panel?.set({ tab: known });
  }

  /** Draws again, after a change of the theme. */
  redraw(): void {
    this.panel?.redraw();
  }

  /** Shows a run, or why there is none. */
  show(uri: string, masks: LaneMasks | null, view: EditorView): void {
    this.panel?.close();
    this.panel = undefined;
    if (!masks) {
      nothing(this.root, 'No run to show', 'Press Run to see when each lane ran and with which values.', []);
      return;
    }
    const { texts, labels } = textsOf(linesOf(view), masks);
    const { client, shown } = this;
    const source: Source = {
      run: runInfo(masks),
      isPart: true,
      request: <M extends Method>(method: M, params: object) =>
        client.request<Answers[M] | null>(`warplens/${method}`, { ...params, textDocument: { uri }, partial: true }).catch(fail),
      statement: (line) => texts[line] ?? '',
      label: (line) => labels[line],
      reveal: (line, focus) => {
        this.own = line;
        shown.line(line, focus);
      },
      visit: shown.visit,
      warp: ({ cta, warp }) => shown.warp(cta, warp),
      copy: (text) => navigator.clipboard.writeText(text),
      save: (name, text) => save(name, text, 'image/svg+xml'),
    };
    this.panel = new Panel(this.root, source, this.state, VIEWS, () => undefined);
    this.panel.open().catch((error: unknown) => nothing(this.root, 'The run cannot be shown', messageOf(error), []));
  }

  /** The cursor has moved to a line. */
  follow(line: number, masks: LaneMasks | null): void {
    if (line === this.own || this.state.pinned) return;
    this.own = undefined;
    if (!masks?.lines.some((other) => other.line === line)) return;
    void this.panel?.goToLine(line, masks.visit?.line === line ? masks.visit.number : undefined, false);
  }
}

function linesOf({ state: { doc } }: EditorView): Lines {
  return { lineCount: doc.lines, lineAt: (line) => doc.line(line + 1) };
}

/** The error of an answer has a message and is no `Error`. */
function fail(error: unknown): never {
  throw new Error((error as { message?: string }).message ?? String(error));
}
