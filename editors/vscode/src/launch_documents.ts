// VS Code does not know TOML. Without an extension for it, `warplens.toml` is plain text and becomes a language of ours; with one it keeps
// the language `toml`, of which a second grammar could replace the one that the user installed.
import * as vscode from 'vscode';
import { Adopted, isAssociated } from './adopted';

const PLAIN_TEXT = 'plaintext';
const LAUNCHES = 'warplens-toml';

/** Sets the language of launch files that no extension knows. */
export function adoptLaunchDocuments(): vscode.Disposable {
  const adopted = new Adopted();
  const adopt = (document: vscode.TextDocument) => {
    const isUnknown = document.languageId === PLAIN_TEXT && document.uri.path.endsWith('/warplens.toml');
    if (isUnknown && !isAssociated(document)) adopted.adopt(document, LAUNCHES);
  };
  vscode.workspace.textDocuments.forEach(adopt);
  return vscode.Disposable.from(adopted, vscode.workspace.onDidOpenTextDocument(adopt));
}
