import { expect, it, onTestFinished } from "vitest";
import type * as vscode from "vscode";

import { webviewPage } from "../../../../src/editor/webview/page";
import { builtExtension } from "../../fixtures/builtExtension";
import { Uri } from "../../fixtures/vscode";

it("a page asks at once for what its script imports, and for nothing of the other pages", () => {
  const built = builtExtension({ chat: ["chunks/marked.js", "chunks/dom.js"], viewer: ["chunks/pages.js"] });
  onTestFinished(() => built.remove());
  const webview = { cspSource: "here:", asWebviewUri: ({ path }: Uri) => `here:${path}` } as unknown as vscode.Webview;
  const html = webviewPage(webview, Uri.file(built.folder) as unknown as vscode.Uri, "chat", "Chat");
  const links = [...html.matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(([, href]) => href);
  const folder = `here:${built.folder}/dist/webview`;
  expect(links).toEqual([`${folder}/chunks/marked.js`, `${folder}/chunks/dom.js`]);
  expect(html.indexOf(links[1] ?? "")).toBeLessThan(html.indexOf(`src="${folder}/chat.js"`));
  // Such links are scripts to the page's policy, and a nonce does not reach them.
  expect(/script-src [^;]+/.exec(html)?.[0]).toContain("here:");
});
