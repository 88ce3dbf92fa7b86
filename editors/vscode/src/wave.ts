// Several tools use the extension `.wave`. Files with a `.kernel` line become `wave-asm`, unless the user assigns another
// language with `files.associations` or by selecting it.
import * as vscode from 'vscode';
import { Adopted, isAssociated } from './adopted';

const KERNEL_LINE = /^[ \t]*\.kernel(?=\s|$)/m;

/** Sets the language of `.wave` documents with a kernel, when they are opened and when a kernel is typed. */
export function adoptWaveDocuments(): vscode.Disposable {
  const adopted = new Adopted();
  const adopt = (document: vscode.TextDocument) => adoptOnce(document, adopted);
  vscode.workspace.textDocuments.forEach(adopt);
  return vscode.Disposable.from(
    adopted,
    vscode.workspace.onDidOpenTextDocument(adopt),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (isOtherWave(event.document) && event.contentChanges.some((change) => addsKernel(event.document, change))) {
        adopt(event.document);
      }
    }),
  );
}

function isOtherWave(document: vscode.TextDocument): boolean {
  return document.languageId !== 'wave-asm' && document.uri.path.toLowerCase().endsWith('.wave');
}

/** A document that was `wave-asm` and no longer is has been assigned another language by the user. */
function adoptOnce(document: vscode.TextDocument, adopted: Adopted): void {
  if (!isOtherWave(document) || adopted.has(document) || isAssociated(document)) return;
  if (KERNEL_LINE.test(document.getText())) adopted.adopt(document, 'wave-asm');
}

/** Whether the changed lines contain `.kernel`. */
function addsKernel(document: vscode.TextDocument, change: vscode.TextDocumentContentChangeEvent): boolean {
  const first = change.range.start.line;
  const last = Math.min(first + change.text.split('\n').length, document.lineCount);
  return KERNEL_LINE.test(document.getText(new vscode.Range(first, 0, last, 0)));
}
