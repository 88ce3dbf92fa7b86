// The debugger: starts `warplens dap`, and adds the moves and questions that the Debug Adapter Protocol does not have.
import * as vscode from 'vscode';
import { type LaneMasks, requestMasks, selectionOf } from '../../shared/masks';
import type { Home } from './home/home';
import { FORMER_SASS, LANGUAGES } from './languages';
import type { Server } from './server';
import type { LaneStore } from './store';

const TYPE = 'warplens';

/** A register of one of the languages, which a hover evaluates. */
const REGISTER = /[%$]\w+(\.[xyz])?|\b(U?[RP]|[rp])\d+\b/;

/** A link of a chain, in the answer of `warplens/why`. */
interface Link {
  step: number;
  line: number;
  lane: number;
  warp: number;
  cta: number[];
  text: string;
  value: string;
  operands: { name: string; value: string | null }[];
}

/** The answer of `warplens/position`. */
interface Position {
  line: number | null;
  cta: number[];
  warp: number;
}

/** Registers the debugger of kernels. */
export function debugKernels(home: Home, server: Server, store: LaneStore): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(home.program(), ['dap']),
    }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, {
      resolveDebugConfiguration: (_folder, config) => complete(config, store),
    }),
    vscode.languages.registerEvaluatableExpressionProvider([...LANGUAGES, FORMER_SASS], {
      provideEvaluatableExpression: (document, position) => {
        const range = document.getWordRangeAtPosition(position, REGISTER);
        return range && new vscode.EvaluatableExpression(range);
      },
    }),
    vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
      createDebugAdapterTracker: (session) => {
        const lanes = new FollowingLanes(session, server, store);
        return {
          onDidSendMessage: (message: { type: string; event?: string }) => {
            if (message.type === 'event' && message.event === 'stopped') void lanes.follow();
          },
          onWillStopSession: () => void lanes.showAll(),
        };
      },
    }),
  );
}

/** Shows the lanes and the values of a document as they are where the debugger has stopped. */
class FollowingLanes {
  private readonly uri: string;
  private stops = 0;

  constructor(
    private readonly session: vscode.DebugSession,
    private readonly server: Server,
    private readonly store: LaneStore,
  ) {
    this.uri = vscode.Uri.file(String(session.configuration.program)).toString();
  }

  async follow(): Promise<void> {
    const stop = ++this.stops;
    const masks = await this.launched();
    const { line, cta, warp } = (await this.session.customRequest('warplens/position')) as Position;
    const { result } = (await this.session.customRequest('evaluate', { expression: 'visit' })) as { result: string };
    if (!masks || stop !== this.stops) return;
    if (line === null) return this.showAll();
    const shown = [...masks.cta, masks.warp].join();
    if (shown !== [...cta, warp].join()) await this.server.select({ ...selectionOf(this.uri, masks), cta, warp });
    if (stop === this.stops) await this.server.execute('warplens.selectVisit', { uri: this.uri, line: line - 1, visit: Number(result) });
  }

  /** Shows the last visit of each line again. */
  async showAll(): Promise<void> {
    if (this.store.of(this.uri)?.visit) await this.server.execute('warplens.selectVisit', { uri: this.uri, line: 0, visit: null });
  }

  /** The lanes of the launch that is debugged, which are shown if none or those of another launch are. */
  private async launched(): Promise<LaneMasks | null | undefined> {
    const { entry, launch, model } = this.session.configuration as { entry?: string; launch?: string; model?: string };
    const masks = this.store.of(this.uri);
    const isIt = (shown: string, wanted?: string) => wanted === undefined || shown === wanted;
    if (masks && isIt(masks.launch.name, launch) && isIt(masks.entry, entry) && isIt(masks.model, model)) return masks;
    await this.server.start();
    await this.server.select({ uri: this.uri, entry, launch, model });
    return requestMasks(this.server, this.uri);
  }
}

/** Debugs a kernel under its shown launch, or else its first one. */
export async function debugKernel(store: LaneStore, uri?: string, entry?: string): Promise<void> {
  const document = uri ? vscode.Uri.parse(uri) : vscode.window.activeTextEditor?.document.uri;
  if (!document) return;
  const config = { type: TYPE, request: 'launch', name: 'Debug kernel', ...launchOf(document, store), ...(entry && { entry }) };
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(document), config);
}

/** The step backwards into the call before, or out of the function. */
export async function stepBack(kind: 'Into' | 'Out'): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== TYPE) return;
  await session.customRequest(`warplens/stepBack${kind}`, { threadId: threadOf() });
}

/** Shows the warps of another block. */
export async function pickBlock(): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== TYPE) return;
  const { grid, block } = (await session.customRequest('warplens/blocks')) as { grid: number[]; block: number[] };
  const typed = await vscode.window.showInputBox({
    title: 'Pick Block',
    prompt: `The block to show, of a grid of ${grid.join(' x ')}`,
    value: block.join(','),
  });
  if (typed === undefined) return;
  await session.customRequest('warplens/showBlock', { block: typed });
  // Clients ask for the threads again after a stop: this is one at the same position.
  const { step } = (await session.customRequest('warplens/position')) as { step: number };
  await session.customRequest('warplens/position', { to: step });
}

/** Why a lane holds the value of the register under the cursor: a list of the writes that it came through. */
export async function askWhy(): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  const editor = vscode.window.activeTextEditor;
  if (session?.type !== TYPE || !editor) return;
  const range = editor.document.getWordRangeAtPosition(editor.selection.active, REGISTER);
  const register = range ? editor.document.getText(range) : '';
  const lane = await vscode.window.showInputBox({ title: `Why does a lane hold ${register}?`, prompt: 'The lane', value: '0' });
  if (lane === undefined) return;
  const asked = { threadId: threadOf(), lane: Number(lane), register };
  const { chain } = (await session.customRequest('warplens/why', asked)) as { chain: Link[] };
  const picked = await vscode.window.showQuickPick(chain.map(item), {
    title: `Why does lane ${lane} hold ${register}?`,
    placeHolder: chain.length === 0 ? 'No statement wrote it' : 'The newest write first; each goes to its moment',
  });
  if (picked) await session.customRequest('warplens/position', { to: picked.step });
}

function item(link: Link): vscode.QuickPickItem & { step: number } {
  const operands = link.operands.map(({ name, value }) => (value === null ? name : `${name} = ${value}`));
  return {
    label: `${link.value}  ${link.text.replace(/\s+/g, ' ')}`,
    description: `line ${link.line}, lane ${link.lane}, step ${link.step}`,
    detail: operands.join(', '),
    step: link.step,
  };
}

function threadOf(): number | undefined {
  const item = vscode.debug.activeStackItem;
  return item && 'threadId' in item ? item.threadId : undefined;
}

/** The launch that a document shows. */
function launchOf(document: vscode.Uri, store: LaneStore): { program: string; launch?: string; entry?: string } {
  const masks = store.of(document.toString());
  return { program: document.fsPath, ...(masks && { launch: masks.launch.name, entry: masks.entry, model: masks.model }) };
}

/** Without a launch.json, F5 debugs the kernel in the editor. */
function complete(config: vscode.DebugConfiguration, store: LaneStore): vscode.DebugConfiguration | undefined {
  if (config.type) return config;
  const document = vscode.window.activeTextEditor?.document;
  if (!document || ![...LANGUAGES, FORMER_SASS].includes(document.languageId)) return undefined;
  return { ...config, type: TYPE, request: 'launch', name: 'Debug kernel', ...launchOf(document.uri, store) };
}
