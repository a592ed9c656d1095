/** The page that each of our webviews starts from: our style sheet within it, one script of ours, and a strict policy. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

import * as vscode from "vscode";

export type WebviewName = "chat" | "viewer" | "dashboard";

/** What a webview may load. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions & vscode.WebviewPanelOptions {
  return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extensionUri, "dist", "webview")] };
}

/**
 * The editor shows a page once it has loaded, and each file that it loads takes its way through the editor. So the page needs none
 * to be shown: `shell`, HTML that stands there until the script has come, is painted at once, and the script is imported beside it.
 * Messages that come before the script are kept for it in `early`.
 */
export function webviewPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  name: WebviewName,
  title: string,
  shell = "",
): string {
  const nonce = randomBytes(16).toString("base64");
  const folder = vscode.Uri.joinPath(extensionUri, "dist", "webview");
  const read = (path: string) => readFileSync(vscode.Uri.joinPath(folder, path).fsPath, "utf8");
  // All at once, where a browser would learn of the script's own imports only from the script that it has read.
  const imports = (JSON.parse(read("imports.json")) as Record<WebviewName, string[]>)[name];
  const scripts = [`${name}.js`, ...imports].map((path) =>
    webview.asWebviewUri(vscode.Uri.joinPath(folder, path)).toString(),
  );
  const policy = [
    "default-src 'none'",
    // The source itself is named for what is imported, at once or on demand; a nonce does not reach it.
    `script-src 'nonce-${nonce}' ${webview.cspSource}`,
    // Mermaid writes its style sheet into the drawing; no nonce reaches that.
    "style-src 'unsafe-inline'",
    "img-src blob: data:",
    `font-src ${webview.cspSource}`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${read(`${name}.css`)}</style>
<title>${escaped(title)}</title>
</head>
<body>
${shell}
<script type="module" nonce="${nonce}">
globalThis.early = [];
globalThis.onmessage = ({ data }) => early.push(data);
for (const script of ${JSON.stringify(scripts)}) import(script);
</script>
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
