/** What goes to the webview. While there is none that listens, only what must not be lost waits. */

import type { MessageToWebview } from "../../protocol/chat";

export class Outbox {
  private post: ((message: MessageToWebview) => void) | undefined;
  private listens: "no" | "perhaps" | "yes" = "no";
  private waiting: MessageToWebview[] = [];

  /** A webview is there; it listens when it says so. Undefined: there is none any more. */
  attach(post: ((message: MessageToWebview) => void) | undefined): void {
    this.post = post;
    this.listens = "no";
  }

  /** For a webview that has not said yet that it listens. The editor may hand it what comes so early, and all that follows, or may not. */
  sendAhead(init: MessageToWebview): void {
    if (this.listens !== "no") return;
    this.listens = "perhaps";
    this.send(init);
  }

  /** The webview listens; `init` holds all that it missed, undefined where it got what was sent ahead. */
  open(init: MessageToWebview | undefined): void {
    this.listens = "yes";
    if (init) this.send(init);
    for (const message of this.waiting.splice(0)) this.send(message);
  }

  send(message: MessageToWebview): void {
    if (this.listens !== "no") this.post?.(message);
  }

  sendWhenReady(message: MessageToWebview): void {
    if (this.listens === "yes") this.send(message);
    else this.waiting.push(message);
  }
}
