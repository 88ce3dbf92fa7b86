// The kernels that are being debugged. Their lanes and the panel follow the debugger, and the panel moves it.
import * as vscode from 'vscode';
import type { StoppedWarp } from '../../panel/src/messages';
import { type LaneMasks, requestMasks, selectionOf } from '../../shared/masks';
import type { Server } from './server';
import type { LaneStore } from './store';
import { Subscriber } from './subscriber';

/** The type of a debug session. */
export const TYPE = 'warplens';

/** The thread with the focus. */
export function threadOf(): number | undefined {
  const item = vscode.debug.activeStackItem;
  return item && 'threadId' in item ? item.threadId : undefined;
}

/** Where the debugger of a kernel has stopped. Lines count from 0. */
export interface Stop {
  /** The warps of the shown block. */
  warps: StoppedWarp[];
  /** The next statement of the warp with the focus; undefined if it has ended. */
  line?: number;
  visit?: number;
}

/** A visit of a line by a warp, or only a warp. */
export interface Place {
  cta: number[];
  warp: number;
  line?: number;
  visit?: number;
}

/** The answer of `warplens/warps`, whose lines count from 1. */
interface Warps {
  warps: StoppedWarp[];
  focus: number;
  visit: number | null;
}

interface Debugged {
  session: vscode.DebugSession;
  stop?: Stop;
  /** Counts the stops: what an older one asks for is dropped. */
  stops: number;
}

export class DebuggedKernels extends Subscriber {
  private readonly kernels = new Map<string, Debugged>();
  private readonly stopped = new vscode.EventEmitter<string>();

  /** Fires with the address of a document when its debugger has stopped elsewhere, or has ended. */
  readonly onDidStop = this.stopped.event;

  constructor(
    private readonly server: Server,
    private readonly store: LaneStore,
  ) {
    super();
    this.subscriptions.push(
      this.stopped,
      vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
        createDebugAdapterTracker: (session) => {
          const uri = vscode.Uri.file(String(session.configuration.program)).toString();
          return {
            onDidSendMessage: (message: { type: string; event?: string }) => {
              if (message.type === 'event' && message.event === 'stopped') void this.follow(uri, session);
            },
            onWillStopSession: () => void this.end(uri, session),
          };
        },
      }),
    );
  }

  /** Where the debugger of a document has stopped. */
  of(uri: string | undefined): Stop | undefined {
    return this.kernels.get(uri ?? '')?.stop;
  }

  /** Moves the debugger of a document, if there is one. */
  async goTo(uri: string, place: Place): Promise<boolean> {
    const session = this.kernels.get(uri)?.session;
    if (!session) return false;
    const line = place.line === undefined ? undefined : place.line + 1;
    await session.customRequest('warplens/goTo', { ...place, line });
    return true;
  }

  /** Shows the lanes and the values of a document as they are where the debugger has stopped. */
  private async follow(uri: string, session: vscode.DebugSession): Promise<void> {
    const kernel = this.kernels.get(uri)?.session === session ? (this.kernels.get(uri) as Debugged) : { session, stops: 0 };
    this.kernels.set(uri, kernel);
    const stop = ++kernel.stops;
    const isOld = () => stop !== kernel.stops || this.kernels.get(uri) !== kernel;
    const masks = await this.launched(uri, session);
    const { warps, focus, visit } = (await session.customRequest('warplens/warps')) as Warps;
    const at = warps.find(({ threadId }) => threadId === focus);
    if (isOld() || !at) return;
    const from0 = (line: number | null) => (line === null ? null : line - 1);
    kernel.stop = { warps: warps.map((warp) => ({ ...warp, line: from0(warp.line) })) };
    if (at.line !== null && visit !== null) kernel.stop = { ...kernel.stop, line: at.line - 1, visit };
    this.stopped.fire(uri);
    if (!masks) return;
    const { line } = kernel.stop;
    if (line === undefined) return this.showAll(uri);
    const { cta, warp } = at;
    if ([...masks.cta, masks.warp].join() !== [...cta, warp].join()) await this.server.select({ ...selectionOf(uri, masks), cta, warp });
    if (!isOld()) await this.server.execute('warplens.selectVisit', { uri, line, visit });
  }

  private async end(uri: string, session: vscode.DebugSession): Promise<void> {
    if (this.kernels.get(uri)?.session !== session) return;
    this.kernels.delete(uri);
    this.stopped.fire(uri);
    await this.showAll(uri);
  }

  /** Shows the last visit of each line again. */
  private async showAll(uri: string): Promise<void> {
    if (this.store.of(uri)?.visit) await this.server.execute('warplens.selectVisit', { uri, line: 0, visit: null });
  }

  /** The lanes of the launch that is debugged, which are shown if none or those of another launch are. */
  private async launched(uri: string, session: vscode.DebugSession): Promise<LaneMasks | null | undefined> {
    const { entry, launch, model } = session.configuration as { entry?: string; launch?: string; model?: string };
    const masks = this.store.of(uri);
    const isIt = (shown: string, wanted?: string) => wanted === undefined || shown === wanted;
    if (masks && isIt(masks.launch.name, launch) && isIt(masks.entry, entry) && isIt(masks.model, model)) return masks;
    await this.server.start();
    await this.server.select({ uri, entry, launch, model });
    return requestMasks(this.server, uri);
  }
}
