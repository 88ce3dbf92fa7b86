// The panel in the editor, which gets its data through messages from the extension.
import type { RunProgress } from './generated/run_progress';
import {
  type Answers,
  type Method,
  messageOf,
  type RunInfo,
  type ShownPlace,
  type StoppedWarp,
  type ToExtension,
  type ToPanel,
} from './messages';
import { nothing } from './nothing';
import { Panel } from './panel';
import { RunningNote } from './running';
import type { Source } from './source';
import { restored, type State } from './state';
import { VIEWS } from './views';
import { pageOf } from './views/buffers';

declare function acquireVsCodeApi(): { postMessage(message: ToExtension): void; getState(): unknown; setState(state: unknown): void };

const api = acquireVsCodeApi();
const root = document.getElementById('warplens-panel') as HTMLElement;
const state = restored(api.getState());
const waiting = new Map<number, { resolve: (answer: never) => void; reject: (reason: Error) => void }>();
const save = () => api.setState(state);
let texts: Record<number, string> = {};
let labels: Record<number, string> = {};
let requests = 0;
let panel: Panel | undefined;
let running: RunProgress | null = null;
/** The warps of the debugger, by block and number; none while nothing is debugged. */
let stopped = new Map<string, StoppedWarp>();
const note = new RunningNote(root, () => api.postMessage({ type: 'stop' }));

function request<M extends Method>(method: M, params: object): Promise<Answers[M] | null> {
  const id = ++requests;
  api.postMessage({ type: 'request', id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function source(run: RunInfo): Source {
  return {
    run,
    request,
    statement: (line) => texts[line] ?? '',
    label: (line) => labels[line],
    reveal: (line, focus, visit) => api.postMessage({ type: 'reveal', line, focus, visit }),
    visit: (line, visit) => api.postMessage({ type: 'visit', line, visit }),
    stopped: ({ cta, warp }) => stopped.get([...cta, warp].join()),
    warp: ({ cta, warp }, step) => api.postMessage({ type: 'warp', cta, warp, step }),
    why: (question) => api.postMessage({ type: 'why', question }),
    expect: (buffer) => api.postMessage({ type: 'expect', buffer }),
    command: (command) => api.postMessage({ type: 'command', command }),
    copy: async (text) => api.postMessage({ type: 'copy', text }),
    save: (name, text) => api.postMessage({ type: 'save', name, text }),
    painted(what, milliseconds) {
      performance.measure(what, { start: performance.now() - milliseconds, duration: milliseconds });
      api.postMessage({ type: 'painted', what, milliseconds });
    },
  };
}

/** Shows a place in the run, at once or when there is one. */
function goTo({ step, lane, register }: ShownPlace): void {
  const change: Partial<State> = { lane: lane ?? state.lane };
  if (register !== undefined) {
    change.tab = 'registers';
    change.pins = [...state.pins.filter((pin) => pin !== register), register];
  }
  Object.assign(state, change);
  panel?.set(change);
  if (step === undefined) return;
  if (panel?.base) panel.goTo(step);
  else state.step = step;
}

function receive(message: ToPanel): void {
  switch (message.type) {
    case 'run': {
      ({ texts, labels } = message);
      panel?.close();
      panel = new Panel(root, source(message.run), state, VIEWS, save);
      note.show(running, false);
      panel.open().catch((error: unknown) => nothing(root, 'The run cannot be shown', messageOf(error), []));
      break;
    }
    case 'running':
      running = message.run;
      note.show(running, !panel);
      break;
    case 'nothing': {
      panel?.close();
      panel = undefined;
      note.show(running, true);
      const { title, text, actions } = message.nothing;
      nothing(
        root,
        title,
        text,
        actions.map(({ label, command }) => ({ label, run: () => api.postMessage({ type: 'command', command }) })),
      );
      break;
    }
    case 'answer': {
      const waits = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === undefined) waits?.resolve((message.result ?? null) as never);
      else waits?.reject(new Error(message.error));
      break;
    }
    case 'stopped':
      stopped = new Map(message.warps.map((warp) => [[...warp.cta, warp.warp].join(), warp]));
      if (panel?.base) panel.redraw();
      break;
    case 'cursor':
      if (!state.pinned) void panel?.goToLine(message.line, message.visit, false);
      break;
    case 'show':
      state.tab = message.tab;
      panel?.set({ tab: message.tab });
      break;
    case 'place':
      goTo(message);
      break;
    case 'element': {
      const { buffer, element, lane } = message;
      const change = { tab: 'buffers' as const, buffer, element, bufferFrom: pageOf(element), lane };
      Object.assign(state, change);
      panel?.set(change);
      break;
    }
  }
}

window.addEventListener('message', ({ data }: MessageEvent<ToPanel>) => receive(data));
document.addEventListener('securitypolicyviolation', (event) =>
  console.error(`blocked by the content security policy: ${event.violatedDirective} ${event.blockedURI}`),
);
// Canvases do not follow a change of the theme by themselves.
new MutationObserver(() => panel?.redraw()).observe(document.body, { attributes: true, attributeFilter: ['class'] });
api.postMessage({ type: 'ready' });
