// The extension, wherever it runs: registers its commands and starts the server for documents of its languages.
// All analysis is in the server; the extension only provides menus and the status bar.
import * as vscode from 'vscode';
import type { Tab } from '../../panel/src/messages';
import { Comparisons } from './compare';
import { copyLink } from './copy_link';
import { debugKernel, debugKernels, pickBlock, stepBack } from './debug';
import { DebuggedKernels } from './debugged';
import { Encodings } from './encodings';
import { FindingView } from './finding';
import { newKernel, reportIssue } from './first_minute';
import { FocusedLane } from './focused_lane';
import { openGoTo } from './go_to/box';
import type { Home } from './home/home';
import { applyIndentation } from './indentation';
import { Lanes } from './lanes';
import { HOSTS, INLINE, LANGUAGES } from './languages';
import { editLaunch } from './launch';
import { adoptLaunchDocuments } from './launch_documents';
import { LinkedDocuments } from './linked';
import { goToLine, withLinks } from './links';
import { offerListings } from './listing';
import { ListingStart } from './listing_start';
import { LitLines } from './lit';
import { goToDivergence, goToNextVisit, goToWarp } from './navigate';
import { offerStrip } from './offer_strip';
import { openLinks } from './page_links';
import { LanesPanel } from './panel/view';
import { pickLaunch, pickModel, runFirst } from './pick';
import { pickWarp } from './pick_warp';
import { SameLaunch } from './same_launch';
import { SassBeside } from './sass';
import { sortSassDocuments } from './sass_documents';
import { Server } from './server';
import { openSource } from './source';
import { SourceLanes } from './source_lanes';
import { LaneStore } from './store';
import { Strip } from './strip';
import { goToVisit } from './visit';
import { adoptWaveDocuments } from './wave';
import { askWhy, type Named } from './why';

/** The extension with a server that runs in a home, and with what only some homes have. */
export function activateIn(home: Home, context: vscode.ExtensionContext, log: vscode.LogOutputChannel, others: vscode.Disposable[]): void {
  const server = new Server(home, context, log);
  const store = new LaneStore(server);
  server.hoverLinks = (hover, uri, line) => withLinks(hover, uri, line, store);
  const lanes = new Lanes(server, store);
  const debugged = new DebuggedKernels(server, store);
  const focused = new FocusedLane();
  const panel = new LanesPanel(context.extensionUri, { server, store, debugged, log });
  const lit = new LitLines();
  const linked = new LinkedDocuments(server, lit);
  const sources = new SourceLanes(store, linked);
  const launches = new SameLaunch(server, store);
  const sass = new SassBeside(server, linked, launches);
  const comparisons = new Comparisons(server, sass, linked);
  const findings = new FindingView(server, lanes, lit, panel);
  applyIndentation(vscode.window.visibleTextEditors);
  context.subscriptions.push(log, server, store, lanes, debugged, panel, lit, findings, linked, sources, launches, sass, comparisons);
  context.subscriptions.push(new Strip(store, sources), new Encodings(), new ListingStart(), offerStrip(store));
  context.subscriptions.push(
    adoptWaveDocuments(),
    sortSassDocuments(),
    adoptLaunchDocuments(),
    offerListings(server),
    debugKernels(home, store),
    focused,
    openLinks(server),
    ...others,
  );
  const commands: Record<string, (...args: never[]) => unknown> = {
    ...launchCommands(server, lanes),
    ...navigationCommands(server, lanes, findings),
    ...debugCommands(server, store, focused),
    'warplens.goTo': (typed?: unknown) => openGoTo({ server, panel, findings }, lanes, findings, text(typed)),
    'warplens.openSource': () => openSource(server, linked),
    'warplens.openSass': (uri?: unknown, entry?: string) => sass.open(text(uri), entry),
    'warplens.compareWith': () => comparisons.withFile(),
    'warplens.compareWithPtxas': (uri?: unknown, entry?: string) => comparisons.withPtxas(text(uri), entry),
    'warplens.copyLink': (uri?: unknown) => copyLink(server, text(uri)),
    'warplens.newKernel': newKernel,
    'warplens.reportIssue': () => reportIssue(context),
    'warplens.showPanel': (tab?: unknown) => panel.show(text(tab) as Tab | undefined),
    'warplens.restartServer': () => server.restart(),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument((document) => startFor(document, server)),
    vscode.workspace.onDidSaveTextDocument((document) => startFor(document, server)),
  );
  for (const document of vscode.workspace.textDocuments) startFor(document, server);
}

function launchCommands(server: Server, lanes: Lanes) {
  return {
    'warplens.pickLaunch': (uri?: unknown, entry?: string) => pickLaunch(server, lanes, text(uri), entry),
    'warplens.editLaunch': (uri?: unknown, entry?: string) => editLaunch(server, lanes, text(uri), entry),
    'warplens.runLaunch': () => runFirst(server),
    'warplens.pickWarp': () => pickWarp(server, lanes),
    'warplens.pickModel': () => pickModel(server, lanes),
    'warplens.stopLanes': () => lanes.stop(),
  };
}

function debugCommands(server: Server, store: LaneStore, focused: FocusedLane) {
  return {
    'warplens.debug': (uri?: unknown, entry?: unknown) => debugKernel(store, text(uri), text(entry)),
    'warplens.stepBackInto': () => stepBack('Into'),
    'warplens.stepBackOut': () => stepBack('Out'),
    'warplens.pickBlock': pickBlock,
    'warplens.pickLane': () => focused.pick(),
    'warplens.why': (named?: Named) => askWhy(server, store, focused, named),
  };
}

function navigationCommands(server: Server, lanes: Lanes, findings: FindingView) {
  return {
    'warplens.nextDivergence': () => goToDivergence(lanes, 1),
    'warplens.previousDivergence': () => goToDivergence(lanes, -1),
    'warplens.nextFinding': () => findings.goTo(1),
    'warplens.previousFinding': () => findings.goTo(-1),
    'warplens.showFinding': (line?: number) => findings.show(line),
    'warplens.showUnexpected': () => findings.showUnexpected(),
    'warplens.showProblem': () => findings.showProblem(),
    'warplens.nextVisit': () => goToNextVisit(server, lanes, 1),
    'warplens.previousVisit': () => goToNextVisit(server, lanes, -1),
    'warplens.goToVisit': (line?: number) => goToVisit(server, lanes, line),
    'warplens.nextWarp': () => goToWarp(server, lanes, 1),
    'warplens.previousWarp': () => goToWarp(server, lanes, -1),
    'warplens.goToLine': goToLine,
  };
}

/** The text that a code lens or a link passes; menus pass a `Uri` object instead. */
function text(argument: unknown): string | undefined {
  return typeof argument === 'string' ? argument : undefined;
}

/** The server starts with the first document of one of the languages or with inline PTX, so that other work costs nothing. */
function startFor(document: vscode.TextDocument, server: Server): void {
  const mayHaveInline = () => HOSTS.includes(document.languageId) && INLINE.test(document.getText());
  if (LANGUAGES.includes(document.languageId) || mayHaveInline()) void server.start();
}
