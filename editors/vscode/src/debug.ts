// The debugger: starts `warplens dap`, and adds the moves and questions that the Debug Adapter Protocol does not have.
import * as vscode from 'vscode';
import { TYPE, threadOf } from './debugged';
import type { Home } from './home/home';
import { FORMER_SASS, LANGUAGES, REGISTER } from './languages';
import type { LaneStore } from './store';

/** Registers the debugger of kernels. */
export function debugKernels(home: Home, store: LaneStore): vscode.Disposable {
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
  );
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
  const shown = (await session.customRequest('warplens/showBlock', { block: typed })) as { block: number[] };
  // Clients ask for the threads again after a stop: this is one at the same position.
  await session.customRequest('warplens/goTo', { cta: shown.block, warp: 0 });
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
