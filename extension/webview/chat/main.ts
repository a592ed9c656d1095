/** Entry of the chat webview. */

import type { MessageToWebview, ToExtension } from "../../src/protocol/chat";
import { redrawDiagrams } from "../shared/diagram";
import { h } from "../shared/dom";
import { Host } from "../shared/host";
import { useTranslations } from "../shared/l10n";

import { ChatApp } from "./app";
import type { SavedState } from "./types";

const host = new Host<ToExtension, MessageToWebview, SavedState>();
// The page brings what it looks like before this script has come.
const root = document.querySelector<HTMLElement>("body > .app") ?? h("div", { class: "app" });
let app: ChatApp | undefined;

function report(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  host.send("webview.error", { message, stack: error instanceof Error ? (error.stack ?? "") : "" });
}

window.addEventListener("error", (event) => report(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => report(event.reason));

document.body.append(root);
host.onMessage((message) => {
  if (message.type === "init" && app === undefined) {
    useTranslations(message.text);
    document.documentElement.lang = message.language;
    app = new ChatApp(host, root, message);
    root.removeAttribute("inert");
    root.removeAttribute("aria-busy");
    if (document.hasFocus()) app.focus();
  } else app?.receive(message);
});

// The editor writes the theme into the body's class.
new MutationObserver(redrawDiagrams).observe(document.body, { attributeFilter: ["class", "data-vscode-theme-id"] });
const isDrawn = () => app !== undefined;
host.send("ready", isDrawn() ? { drawn: true } : {});
