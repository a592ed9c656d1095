// @vitest-environment jsdom
import { expect, it, onTestFinished } from "vitest";
import type * as vscode from "vscode";

import { webviewPage } from "../../../../src/editor/webview/page";
import { builtExtension } from "../../fixtures/builtExtension";
import { Uri } from "../../fixtures/vscode";

function page(shell?: string): { html: string; folder: string } {
  const built = builtExtension({ chat: ["chunks/marked.js", "chunks/dom.js"], viewer: ["chunks/pages.js"] });
  onTestFinished(() => built.remove());
  const webview = { cspSource: "here:", asWebviewUri: ({ path }: Uri) => `here:${path}` } as unknown as vscode.Webview;
  const html = webviewPage(webview, Uri.file(built.folder) as unknown as vscode.Uri, "chat", "Chat", shell);
  return { html, folder: `here:${built.folder}/dist/webview` };
}

it("a page imports at once its script and what that imports, and nothing of the other pages", () => {
  const { html, folder } = page();
  const nonce = /script-src 'nonce-([^']+)'/.exec(html)?.[1];
  const imported = ["chat.js", "chunks/marked.js", "chunks/dom.js"].map((file) => `${folder}/${file}`);
  expect(html).toContain(`<script type="module" nonce="${nonce}">`);
  expect(html).toContain(`for (const script of ${JSON.stringify(imported)}) import(script);`);
  // Imports are scripts to the page's policy, and a nonce does not reach them.
  expect(/script-src [^;]+/.exec(html)?.[0]).toMatch(/ here:$/);
});

it("a page can be painted before any file has come: the editor shows it once what it refers to is loaded", () => {
  const { html } = page('<div class="app">Shell</div>');
  const shown = new DOMParser().parseFromString(html, "text/html");
  expect(shown.querySelector("style")?.textContent).toContain(".chat");
  expect(shown.body.textContent).toContain("Shell");
  expect(shown.querySelectorAll("[src], [href]")).toHaveLength(0);
});

it("a page runs no script but its own", () => {
  const policy = /script-src [^;]+/.exec(page().html)?.[0];
  expect(policy).not.toMatch(/unsafe|data:|blob:|\*/);
});
