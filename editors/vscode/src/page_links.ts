// Opens what the page of Warplens in a browser shows: `vscode://warplens.warplens/open?FRAGMENT`.
import * as vscode from 'vscode';
import { decodeFragment } from '../../web/src/link';
import { warn } from './inform';
import { SASS } from './languages';
import type { Server } from './server';

/** The languages of links by the ids of VS Code. */
const IDS = { ptx: 'ptx', wave: 'wave-asm', sass: SASS };

export function openLinks(server: Server): vscode.Disposable {
  return vscode.window.registerUriHandler({ handleUri: (uri) => open(server, uri) });
}

/** Opens the kernel as a new document, and runs its launch. */
async function open(server: Server, uri: vscode.Uri): Promise<void> {
  const decoded = decodeFragment(uri.query);
  if ('error' in decoded) return warn(`the link cannot be opened. ${decoded.error}`);
  const { text, language, launch, cta, warp } = decoded;
  const document = await vscode.workspace.openTextDocument({ language: IDS[language], content: text });
  await vscode.window.showTextDocument(document, { preview: false });
  await server.start();
  try {
    await server.select({ uri: document.uri.toString(), ...(launch && { launch: { name: 'link', ...launch } }), cta, warp });
  } catch (error) {
    warn(`the launch of the link cannot be run: ${(error as Error).message}`);
  }
}
