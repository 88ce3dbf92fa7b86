// Copies the link of the Warplens page for a document and the run that it shows.
import * as vscode from 'vscode';
import { activeDocument } from './active';
import type { DocumentLink } from './generated/messages';
import { inform } from './inform';
import type { Server } from './server';

export async function copyLink(server: Server, uri?: string): Promise<void> {
  const document = uri ?? activeDocument()?.uri.toString();
  if (!document) return inform('open a .ptx, WAVE or SASS file to copy its link.');
  await server.start();
  const answer = await server.execute<DocumentLink>('warplens.link', { uri: document });
  if (!answer) return;
  await vscode.env.clipboard.writeText(answer.link);
  vscode.window.setStatusBarMessage('Warplens: copied the link', 3000);
}
