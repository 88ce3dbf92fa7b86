// `.wave` files belong to several tools. Those with a `.kernel` line are ours, and only those become `wave-asm`, unless
// the user has said otherwise: by `files.associations`, or by picking another language.
import * as vscode from 'vscode';

const KERNEL_LINE = /^[ \t]*\.kernel(?=\s|$)/m;

/** Switches open and opened `.wave` documents that hold a kernel to our language, also once a kernel is typed. */
export function adoptWaveDocuments(): vscode.Disposable {
  const adopted = new Set<string>();
  const adopt = (document: vscode.TextDocument) => adoptOnce(document, adopted);
  vscode.workspace.textDocuments.forEach(adopt);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(adopt),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (isForeign(event.document) && event.contentChanges.some((change) => showsKernel(event.document, change))) {
        adopt(event.document);
      }
    }),
    // A change of the language closes a document and opens it again at once; what stays closed is forgotten.
    vscode.workspace.onDidCloseTextDocument((closed) => {
      setTimeout(() => {
        const isOpen = vscode.workspace.textDocuments.some((open) => open.uri.toString() === closed.uri.toString());
        if (!isOpen) adopted.delete(closed.uri.toString());
      }, 0);
    }),
  );
}

function isForeign(document: vscode.TextDocument): boolean {
  return document.languageId !== 'wave-asm' && document.uri.path.toLowerCase().endsWith('.wave');
}

/** A document that is no longer ours after it was has been given another language by its user. */
function adoptOnce(document: vscode.TextDocument, adopted: Set<string>): void {
  const uri = document.uri.toString();
  if (!isForeign(document) || adopted.has(uri) || isAssociated(document)) return;
  if (!KERNEL_LINE.test(document.getText())) return;
  adopted.add(uri);
  void vscode.languages.setTextDocumentLanguage(document, 'wave-asm');
}

/** Whether the lines that a change has touched hold a `.kernel`. */
function showsKernel(document: vscode.TextDocument, change: vscode.TextDocumentContentChangeEvent): boolean {
  const first = change.range.start.line;
  const last = Math.min(first + change.text.split('\n').length, document.lineCount);
  return KERNEL_LINE.test(document.getText(new vscode.Range(first, 0, last, 0)));
}

/** Whether the user's settings name a language for such files. */
function isAssociated(document: vscode.TextDocument): boolean {
  const associations = vscode.workspace.getConfiguration('files', document).get<Record<string, string>>('associations', {});
  const patterns = Object.keys(associations).map((pattern) => (pattern.includes('/') ? pattern : `**/${pattern}`));
  return patterns.some((pattern) => vscode.languages.match({ pattern }, document) > 0);
}
