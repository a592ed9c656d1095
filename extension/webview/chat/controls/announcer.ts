/** What is said aloud by screen readers, and short notes at the bottom of the webview. */

import { h } from "../../shared/dom";

const NOTE_MS = 4000;

export class Announcer {
  readonly element = h("div", { class: "announcer" });
  private readonly spoken = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
  private readonly shown = h("div", { class: "note", hidden: true, "aria-hidden": "true" });
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.element.append(this.spoken, this.shown);
  }

  say(text: string): void {
    this.spoken.textContent = text;
  }

  note(text: string): void {
    this.say(text);
    this.shown.textContent = text;
    this.shown.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.shown.hidden = true), NOTE_MS);
  }
}
