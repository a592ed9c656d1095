/**
 * The chat view as it looks before its script has come: header and composer, in the page itself, so that the first paint waits for
 * no file. The script draws the same at its place. Until then nothing of it can be reached, and screen readers pass over it.
 */

import * as l10n from "@vscode/l10n";

import { SHELL_ICONS } from "../../protocol/shellIcons";

/** `isNew`: the chat has no question yet; the title of one that is read from its file is not known so soon. */
export function chatShell(isNew: boolean): string {
  const title = isNew ? escaped(l10n.t("New chat")) : "";
  return `<div class="app" inert aria-busy="true"><div class="chat">
<header class="top"><nav class="history"><button type="button" class="history-toggle">${icon("history")}<span class="history-title">${title}</span>${icon("chevronDown")}</button></nav>${ghost("add")}</header>
<main class="conversation"></main>
<div class="bottom"><form class="composer"><textarea rows="1" placeholder="${escaped(l10n.t("Ask your documents"))}"></textarea><div class="composer-tools">${ghost("attach")}<div class="pickers"></div>${ghost("send", " send", " disabled")}</div></form></div>
</div></div>`;
}

function ghost(name: keyof typeof SHELL_ICONS, kind = "", attributes = ""): string {
  return `<button type="button" class="ghost${kind}"${attributes}>${icon(name)}</button>`;
}

function icon(name: keyof typeof SHELL_ICONS): string {
  return `<svg class="icon icon-${name}" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHELL_ICONS[name]}" class="line"></path></svg>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
