// `.wave` files belong to several tools. Those with a `.kernel` line are ours, and only those become `wave-asm`.
import * as vscode from 'vscode';

const KERNEL_LINE = /^[ \t]*\.kernel\b/m;

/** Switches open and opened `.wave` documents that hold a kernel to our language, also once a kernel is typed. */
export function adoptWaveDocuments(): vscode.Disposable {
  vscode.workspace.textDocuments.forEach(adopt);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(adopt),
    vscode.workspace.onDidChangeTextDocument((event) => adopt(event.document)),
  );
}

function adopt(document: vscode.TextDocument): void {
  if (document.languageId === 'wave-asm' || !document.uri.path.endsWith('.wave')) return;
  if (KERNEL_LINE.test(document.getText())) void vscode.languages.setTextDocumentLanguage(document, 'wave-asm');
}
