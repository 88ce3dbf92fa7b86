// Listings of files that VS Code cannot show as text: the server makes them, and a read-only document shows them.
import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Server } from './server';

const SCHEME = 'warplens-listing';
const VIEW = 'warplens.listing';

/** Opens `.cubin` and `.fatbin` files as listings, and other files with the command. */
export function offerListings(server: Server): vscode.Disposable {
  const listings = new Listings(server);
  return vscode.Disposable.from(
    listings,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, listings),
    vscode.window.registerCustomEditorProvider(VIEW, new MachineCodeEditor(listings), { supportsMultipleEditorsPerDocument: false }),
    vscode.commands.registerCommand('warplens.showListing', (uri?: vscode.Uri) => {
      const file = uri instanceof vscode.Uri ? uri : activeFile();
      return file ? listings.show(file) : undefined;
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

  /** Shows the listing of a file, or the reason that there is none; returns whether it is shown. */
  async show(file: vscode.Uri, column?: vscode.ViewColumn): Promise<string | undefined> {
    try {
      await this.textOf(file);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void this.report(reason);
      return reason;
    }
    const listing = vscode.Uri.from({ scheme: SCHEME, path: `${file.path}.sass`, query: file.toString() });
    this.watch(file, listing);
    const document = await vscode.workspace.openTextDocument(listing);
    await vscode.window.showTextDocument(document, { preview: false, viewColumn: column });
    return undefined;
  }

  provideTextDocumentContent(listing: vscode.Uri): Promise<string> {
    return this.textOf(vscode.Uri.parse(listing.query));
  }

  private async textOf(file: vscode.Uri): Promise<string> {
    await this.server.start();
    const answer = await this.server.request<{ text: string }>('warplens/listing', { uri: file.toString() });
    if (!answer) throw new Error('the language server is not running');
    return answer.text;
  }

  /** A file that is built again has a new listing. */
  private watch(file: vscode.Uri, listing: vscode.Uri): void {
    const key = listing.toString();
    if (this.watchers.has(key)) return;
    const folder = vscode.Uri.joinPath(file, '..');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, posix.basename(file.path)));
    const change = () => this.changed.fire(listing);
    this.watchers.set(key, vscode.Disposable.from(watcher, watcher.onDidChange(change), watcher.onDidCreate(change)));
  }

  private async report(reason: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(`Warplens: ${reason}`, 'Open Settings');
    if (choice) await vscode.commands.executeCommand('workbench.action.openSettings', 'warplens.sass');
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
    const reason = await this.listings.show(document.uri, panel.viewColumn);
    if (reason === undefined) panel.dispose();
    else panel.webview.html = page(`${reason}. Open the file again after a change of the settings.`);
  }
}

function page(text: string): string {
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/`([^`]*)`/g, '<code>$1</code>');
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
  return `<!doctype html><html lang="en"><head>${policy}<title>Listing</title></head><body><p>${escaped}</p></body></html>`;
}
