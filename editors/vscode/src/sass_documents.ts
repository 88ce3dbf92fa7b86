// Style sheets have the extension `.sass` too, and other extensions open them with the id `sass`, which was ours. A document is machine code
// if it has a line of a listing.
import * as vscode from 'vscode';
import { Adopted } from './adopted';
import { FORMER_SASS, SASS } from './languages';
import { isListing } from './listing_text';

/** Makes listings machine code, and leaves style sheets to other extensions. */
export function sortSassDocuments(): vscode.Disposable {
  const adopted = new Adopted();
  const sort = (document: vscode.TextDocument) => {
    const language = otherLanguage(document);
    if (language) adopted.adopt(document, language);
  };
  vscode.workspace.textDocuments.forEach(sort);
  return vscode.Disposable.from(adopted, vscode.workspace.onDidOpenTextDocument(sort));
}

/** The language that a document should have, if it has another one. */
function otherLanguage(document: vscode.TextDocument): string | undefined {
  const { languageId, uri } = document;
  const isFile = uri.path.toLowerCase().endsWith('.sass') && ['file', 'vscode-remote'].includes(uri.scheme);
  if (!isFile && languageId !== FORMER_SASS) return undefined;
  const text = document.getText();
  if (languageId === SASS) return text.trim() !== '' && !isListing(text) ? FORMER_SASS : undefined;
  return isListing(text) ? SASS : undefined;
}
