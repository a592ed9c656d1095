/** The page that each of our webviews starts from: one script and one style sheet of ours, and a strict policy. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

import * as vscode from "vscode";

export type WebviewName = "chat" | "viewer" | "dashboard";

/** What a webview may load. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions & vscode.WebviewPanelOptions {
  return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extensionUri, "dist", "webview")] };
}

export function webviewPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  name: WebviewName,
  title: string,
): string {
  const nonce = randomBytes(16).toString("base64");
  const file = (path: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", "webview", path)).toString();
  const policy = [
    "default-src 'none'",
    // The source itself is named for the parts that are loaded on demand; a nonce does not reach them.
    `script-src 'nonce-${nonce}' ${webview.cspSource}`,
    // Mermaid writes its style sheet into the drawing; no nonce reaches that either.
    `style-src ${webview.cspSource} 'unsafe-inline'`,
    "img-src blob: data:",
    `font-src ${webview.cspSource}`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file(`${name}.css`)}">
${imports(extensionUri, name)
  .map((path) => `<link rel="modulepreload" href="${file(path)}">`)
  .join("\n")}
<title>${escaped(title)}</title>
</head>
<body>
<script type="module" nonce="${nonce}" src="${file(`${name}.js`)}"></script>
</body>
</html>`;
}

/** What the page's script imports as it starts: each file takes its way through the editor, so that none should wait for another. */
function imports(extensionUri: vscode.Uri, name: WebviewName): string[] {
  const list = vscode.Uri.joinPath(extensionUri, "dist", "webview", "imports.json").fsPath;
  return (JSON.parse(readFileSync(list, "utf8")) as Record<WebviewName, string[]>)[name];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
