/**
 * The chat view as it looks before its script has come: header and composer, in the page itself, so that the first paint waits for
 * no file. The script draws the same at its place. Until then nothing of it can be reached, and screen readers pass over it.
 */

import * as l10n from "@vscode/l10n";

const ICONS = {
  add: "M8 3v10M3 8h10",
  attach: "M13 7.5l-5 5a3 3 0 0 1-4.3-4.2l5.5-5.6a2 2 0 0 1 2.9 2.8l-5.3 5.4a1 1 0 0 1-1.5-1.4l4.8-4.9",
  chevronDown: "M4 6l4 4 4-4",
  history: "M2.5 8A5.5 5.5 0 1 0 4.2 4M2.5 2.5v2.7h2.7M8 5v3.3l2.3 1.4",
  send: "M2.5 2.5L14 8 2.5 13.5 4.3 8zM4.3 8H9",
} as const;

/** `isNew`: the chat has no question yet; the title of one that is read from its file is not known so soon. */
export function chatShell(isNew: boolean): string {
  const title = isNew ? escaped(l10n.t("New chat")) : "";
  return `<div class="app" inert aria-busy="true"><div class="chat">
<header class="top"><nav class="history"><button type="button" class="history-toggle">${icon("history")}<span class="history-title">${title}</span>${icon("chevronDown")}</button></nav>${ghost("add")}</header>
<main class="conversation"></main>
<div class="bottom"><form class="composer"><textarea rows="1" placeholder="${escaped(l10n.t("Ask your documents"))}"></textarea><div class="composer-tools">${ghost("attach")}<div class="pickers"></div>${ghost("send", " send", " disabled")}</div></form></div>
</div></div>`;
}

function ghost(name: keyof typeof ICONS, kind = "", attributes = ""): string {
  return `<button type="button" class="ghost${kind}"${attributes}>${icon(name)}</button>`;
}

function icon(name: keyof typeof ICONS): string {
  return `<svg class="icon icon-${name}" viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}" class="line"></path></svg>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
