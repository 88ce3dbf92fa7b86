// Listings of files that VS Code cannot show as text: the server makes them, and a read-only document shows them.
import * as vscode from 'vscode';
import { messageOf } from '../../panel/src/messages';
import { revealFunction } from './sass';
import type { Server } from './server';
import { showToolError } from './tool_error';

const SCHEME = 'warplens-listing';
const VIEW = 'warplens.listing';
/** How long the settings must stay unchanged before a listing is tried again, because a path is typed letter by letter. */
const SETTINGS_DELAY = 500;

/** Opens `.cubin` and `.fatbin` files as listings, and other files with the command. */
export function offerListings(server: Server): vscode.Disposable {
  const listings = new Listings(server);
  return vscode.Disposable.from(
    listings,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, listings),
    vscode.window.registerCustomEditorProvider(VIEW, new MachineCodeEditor(listings), { supportsMultipleEditorsPerDocument: false }),
    vscode.commands.registerCommand('warplens.showListing', async (uri?: vscode.Uri) => {
      const file = uri instanceof vscode.Uri ? uri : activeFile();
      if (!file) return undefined;
      const reason = await listings.show(file);
      if (reason !== undefined) showToolError(reason);
      return reason;
    }),
  );
}

/** The file of the active tab, which may be one that is not shown as text. */
function activeFile(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return input.uri;
  return undefined;
}

class Listings implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly watchers = new Map<string, vscode.Disposable>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {}

  dispose(): void {
    this.changed.dispose();
    for (const watcher of this.watchers.values()) watcher.dispose();
  }

  /** Shows the listing of a file; returns the reason if there is none. */
  async show(file: vscode.Uri, column?: vscode.ViewColumn): Promise<string | undefined> {
    try {
      await this.textOf(file);
    } catch (error) {
      return messageOf(error);
    }
    const listing = vscode.Uri.from({ scheme: SCHEME, path: `${file.path}.sass`, query: file.toString() });
    this.watch(file, listing);
    const document = await vscode.workspace.openTextDocument(listing);
    revealFunction(await vscode.window.showTextDocument(document, { preview: false, viewColumn: column }));
    return undefined;
  }

  provideTextDocumentContent(listing: vscode.Uri): Promise<string> {
    return this.textOf(vscode.Uri.parse(listing.query));
  }

  private async textOf(file: vscode.Uri): Promise<string> {
    await this.server.start();
    return this.server.requestText('warplens/listing', { uri: file.toString() });
  }

  /** Updates the listing when its file is rebuilt. */
  private watch(file: vscode.Uri, listing: vscode.Uri): void {
    const key = listing.toString();
    if (this.watchers.has(key)) return;
    const folder = vscode.Uri.joinPath(file, '..');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, file.path.split('/').pop() ?? ''));
    const change = () => this.changed.fire(listing);
    this.watchers.set(key, vscode.Disposable.from(watcher, watcher.onDidChange(change), watcher.onDidCreate(change)));
  }
}

/** The tab of a file with machine code: it is replaced by the listing, or shows the reason that there is none. */
class MachineCodeEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(private readonly listings: Listings) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor(document: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.html = page('The listing is being made.');
    let timer: NodeJS.Timeout | undefined;
    // Tries run one after the other, so that only one shows the listing: a setting can change while the first try still uses the old one.
    let tries = Promise.resolve<string | undefined>(undefined);
    let isOpen = true;
    const retry = () => (tries = tries.then(() => this.replaceByListing(document.uri, panel, () => isOpen)));
    const watcher = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('warplens.sass')) return;
      clearTimeout(timer);
      timer = setTimeout(() => void retry(), SETTINGS_DELAY);
    });
    panel.onDidDispose(() => {
      isOpen = false;
      clearTimeout(timer);
      watcher.dispose();
    });
    const reason = await retry();
    if (reason !== undefined) showToolError(reason);
  }

  /** Shows the listing instead of the tab. If there is none, the tab shows the reason, which is returned. */
  private async replaceByListing(file: vscode.Uri, panel: vscode.WebviewPanel, isOpen: () => boolean): Promise<string | undefined> {
    if (!isOpen()) return undefined;
    const reason = await this.listings.show(file, panel.viewColumn);
    if (!isOpen()) return undefined;
    if (reason === undefined) panel.dispose();
    else panel.webview.html = page(`${reason}. The listing is tried again when a setting under \`warplens.sass\` changes.`);
    return reason;
  }
}

function page(text: string): string {
  const escaped = text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/`([^`]*)`/g, '<code>$1</code>');
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
  return `<!doctype html><html lang="en"><head>${policy}<title>Listing</title></head><body><p>${escaped}</p></body></html>`;
}
