// The chat view in a plain browser: its built bundle, the policy of its page, and an editor that only keeps what it is sent.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html" };
// As in src/editor/webview/page.ts, for a server in place of the editor's own scheme.
const POLICY =
  "default-src 'none'; script-src 'nonce-page' 'self'; style-src 'self' 'unsafe-inline'; img-src blob: data:; font-src 'self'";

const editor = `
globalThis.sent = [];
globalThis.acquireVsCodeApi = () => ({
  postMessage: (message) => sent.push(message),
  getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
  setState: (state) => sessionStorage.setItem("state", JSON.stringify(state)),
});
globalThis.tell = (message) => window.dispatchEvent(new MessageEvent("message", { data: message }));`;

function page({ variables = {}, kind = "vscode-dark", extraStyle = "" }) {
  const style = Object.entries(variables).map(([name, value]) => `${name}: ${value};`);
  return `<!DOCTYPE html><html lang="en" style="${style.join(" ").replaceAll('"', "&quot;")}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>@layer vscode-default { body { margin: 0; padding: 0 20px; font: 13px system-ui, sans-serif; ${extraStyle} } }</style>
<link rel="stylesheet" href="/chat.css"><title>Chat</title></head>
<body class="${kind}"><script nonce="page">${editor}</script><script type="module" nonce="page" src="/chat.js"></script></body></html>`;
}

/** Serve the bundle in `folder`; the page's theme is chosen by `themes[name]` and the address's `?theme=name`. */
export async function serveChat(folder, themes = {}) {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/") {
      response.setHeader("Content-Type", "text/html");
      response.end(page(themes[url.searchParams.get("theme") ?? ""] ?? {}));
      return;
    }
    try {
      const body = await readFile(join(folder, normalize(url.pathname)));
      response.setHeader("Content-Type", TYPES[extname(url.pathname)] ?? "application/octet-stream");
      response.end(body);
    } catch (error) {
      response.statusCode = 404;
      response.end(String(error));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** What the extension says first, with a session that has these messages. */
export function firstMessage(messages = [], more = {}) {
  const now = new Date().toISOString();
  return {
    type: "init",
    text: {},
    language: "en",
    daemon: { kind: "ready", documents: 42 },
    session: { id: "s1", title: messages.length > 0 ? "Refresh tokens" : "", createdAt: now, updatedAt: now, messages },
    choices: {
      collections: [],
      strategies: ["hybrid", "dense_only", "sparse_only"],
      models: [{ id: "auto", label: "Automatic" }],
      defaults: {},
    },
    ingests: [],
    ...more,
  };
}
