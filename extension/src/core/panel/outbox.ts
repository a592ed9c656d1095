/** What goes to the webview. While there is none that listens, only what must not be lost waits. */

import type { MessageToWebview } from "../../protocol/chat";

export class Outbox {
  private post: ((message: MessageToWebview) => void) | undefined;
  private listens = false;
  private waiting: MessageToWebview[] = [];

  /** A webview is there; it listens when it says so. Undefined: there is none any more. */
  attach(post: ((message: MessageToWebview) => void) | undefined): void {
    this.post = post;
    this.listens = false;
  }

  /** The webview listens; `init` holds all that it missed. */
  open(init: MessageToWebview): void {
    this.listens = true;
    this.send(init);
    for (const message of this.waiting.splice(0)) this.send(message);
  }

  send(message: MessageToWebview): void {
    if (this.listens) this.post?.(message);
  }

  sendWhenReady(message: MessageToWebview): void {
    if (this.listens) this.send(message);
    else this.waiting.push(message);
  }
}
