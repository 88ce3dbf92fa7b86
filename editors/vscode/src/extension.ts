// The entry point of the extension: registers its commands and starts the server for documents of its languages.
// All analysis is in the server; the extension only provides menus and the status bar.
import * as vscode from 'vscode';
import type { Tab } from '../../panel/src/messages';
import { Comparisons } from './compare';
import { offerStrip } from './display';
import { FindingView } from './finding';
import { newKernel, reportIssue } from './first_minute';
import { applyIndentation } from './indentation';
import { Lanes } from './lanes';
import { LANGUAGES } from './languages';
import { editLaunch } from './launch';
import { LinkedDocuments } from './linked';
import { goToLine, withLinks } from './links';
import { offerListings } from './listing';
import { LitLines } from './lit';
import { goToDivergence, goToNextVisit, goToWarp } from './navigate';
import { LanesPanel } from './panel/view';
import { pickLaunch, pickModel, runFirst } from './pick';
import { pickWarp } from './pick_warp';
import { SameLaunch } from './same_launch';
import { SassBeside } from './sass';
import { Server } from './server';
import { openSource } from './source';
import { LaneStore } from './store';
import { Strip } from './strip';
import { goToVisit } from './visit';
import { adoptWaveDocuments } from './wave';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Warplens', { log: true });
  const server = new Server(context, log);
  const store = new LaneStore(server);
  server.hoverLinks = (hover, uri, line) => withLinks(hover, uri, line, store);
  const lanes = new Lanes(server, store);
  const panel = new LanesPanel(context.extensionUri, server, store, log);
  const lit = new LitLines();
  const linked = new LinkedDocuments(server, lit);
  const launches = new SameLaunch(server, store);
  const sass = new SassBeside(server, linked, launches);
  const comparisons = new Comparisons(server, sass, linked);
  const findings = new FindingView(server, lanes, lit);
  applyIndentation(vscode.window.visibleTextEditors);
  context.subscriptions.push(
    log,
    server,
    store,
    lanes,
    panel,
    lit,
    findings,
    linked,
    launches,
    sass,
    comparisons,
    new Strip(store),
    offerStrip(store),
    adoptWaveDocuments(),
    offerListings(server),
    vscode.workspace.onDidOpenTextDocument((document) => startFor(document, server)),
    vscode.commands.registerCommand('warplens.pickLaunch', (uri?: string, entry?: string) => pickLaunch(server, lanes, uri, entry)),
    vscode.commands.registerCommand('warplens.editLaunch', (uri?: string, entry?: string) =>
      editLaunch(server, lanes, typeof uri === 'string' ? uri : undefined, entry),
    ),
    vscode.commands.registerCommand('warplens.runLaunch', () => runFirst(server)),
    vscode.commands.registerCommand('warplens.pickWarp', () => pickWarp(server, lanes)),
    vscode.commands.registerCommand('warplens.nextDivergence', () => goToDivergence(lanes, 1)),
    vscode.commands.registerCommand('warplens.previousDivergence', () => goToDivergence(lanes, -1)),
    vscode.commands.registerCommand('warplens.nextFinding', () => findings.goTo(1)),
    vscode.commands.registerCommand('warplens.previousFinding', () => findings.goTo(-1)),
    vscode.commands.registerCommand('warplens.showFinding', (line?: number) => findings.show(line)),
    vscode.commands.registerCommand('warplens.showProblem', () => findings.showProblem()),
    vscode.commands.registerCommand('warplens.nextVisit', () => goToNextVisit(server, lanes, 1)),
    vscode.commands.registerCommand('warplens.previousVisit', () => goToNextVisit(server, lanes, -1)),
    vscode.commands.registerCommand('warplens.nextWarp', () => goToWarp(server, lanes, 1)),
    vscode.commands.registerCommand('warplens.previousWarp', () => goToWarp(server, lanes, -1)),
    vscode.commands.registerCommand('warplens.openSource', () => openSource(server, linked)),
    vscode.commands.registerCommand('warplens.openSass', (uri?: string, entry?: string) =>
      sass.open(typeof uri === 'string' ? uri : undefined, entry),
    ),
    vscode.commands.registerCommand('warplens.compareWith', () => comparisons.withFile()),
    vscode.commands.registerCommand('warplens.compareWithPtxas', (uri?: string, entry?: string) =>
      comparisons.withPtxas(typeof uri === 'string' ? uri : undefined, entry),
    ),
    vscode.commands.registerCommand('warplens.goToLine', goToLine),
    vscode.commands.registerCommand('warplens.newKernel', newKernel),
    vscode.commands.registerCommand('warplens.reportIssue', () => reportIssue(context)),
    vscode.commands.registerCommand('warplens.pickModel', () => pickModel(server, lanes)),
    vscode.commands.registerCommand('warplens.goToVisit', (line?: number) => goToVisit(server, lanes, line)),
    vscode.commands.registerCommand('warplens.stopLanes', () => lanes.stop()),
    vscode.commands.registerCommand('warplens.showPanel', (tab?: Tab) => panel.show(typeof tab === 'string' ? tab : undefined)),
    vscode.commands.registerCommand('warplens.restartServer', () => server.restart()),
  );
  vscode.workspace.textDocuments.forEach((document) => startFor(document, server));
}

/** The server starts with the first document of one of the languages, so that other work costs nothing. */
function startFor(document: vscode.TextDocument, server: Server): void {
  if (LANGUAGES.includes(document.languageId)) void server.start();
}
