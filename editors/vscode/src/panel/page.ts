// The page of the panel. Its policy allows the panel's own scripts and style, and nothing from the network.
import * as vscode from 'vscode';

/** The folder of the scripts and the style. */
export function folder(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, 'out');
}

export function pageOf(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder(extension), name)).toString();
  // Graphs are laid out by a worker, which the panel makes from a text (`blob:`).
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; worker-src blob:`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Warplens Lanes</title>
<link rel="stylesheet" nonce="${nonce}" href="${file('panel-style.css')}">
</head>
<body class="warplens-webview">
<main id="warplens-panel" aria-label="Lanes panel"></main>
<script nonce="${nonce}" src="${file('panel.js')}"></script>
</body>
</html>
`;
}
