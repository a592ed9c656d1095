/** The field for a search in the document, with the number of hits and the way from one to the next. */

import * as l10n from "@vscode/l10n";

import { h } from "../../shared/dom";
import { MOST_HITS } from "./search";

export interface FindBarOptions {
  changed(query: string): void;
  step(by: 1 | -1): void;
  closed(): void;
}

const DELAY_MS = 120;

export class FindBar {
  readonly element: HTMLElement;
  /** Opens it; it stands in the toolbar. */
  readonly button: HTMLButtonElement;
  private readonly field: HTMLInputElement;
  private readonly count = h("span", { class: "find-count", role: "status" });
  private readonly steps: HTMLButtonElement[];
  private timer: number | undefined;

  constructor(private readonly options: FindBarOptions) {
    this.field = h("input", {
      ...{
        type: "search",
        class: "find-field",
        spellcheck: "false",
        placeholder: l10n.t("Find in the whole document"),
      },
      "aria-label": l10n.t("Find in the whole document"),
      oninput: () => this.typed(),
      onkeydown: (event) => this.key(event),
    });
    this.steps = [
      h(
        "button",
        {
          ...{ title: l10n.t("Previous hit (Shift+Enter)"), "aria-label": l10n.t("Previous hit") },
          onclick: () => options.step(-1),
        },
        "↑",
      ),
      h(
        "button",
        { title: l10n.t("Next hit (Enter)"), "aria-label": l10n.t("Next hit"), onclick: () => options.step(1) },
        "↓",
      ),
    ];
    const close = h(
      "button",
      { title: l10n.t("Close (Escape)"), "aria-label": l10n.t("Close the search"), onclick: () => this.close() },
      "✕",
    );
    this.element = h("search", { class: "find", hidden: true }, this.field, this.count, ...this.steps, close);
    this.button = h(
      "button",
      { title: l10n.t("Find (Ctrl+F)"), "aria-expanded": "false", onclick: () => this.toggle() },
      l10n.t("Find"),
    );
    this.show(null);
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  open(): void {
    this.element.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.field.focus();
    this.field.select();
    if (this.field.value !== "") this.options.changed(this.field.value);
  }

  close(): void {
    window.clearTimeout(this.timer);
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    this.options.closed();
    if (hadFocus) this.button.focus();
  }

  /** Which hit of how many is shown, from 0; null while there is nothing to say. */
  show(state: { at: number; total: number } | "busy" | null): void {
    const hasHits = state !== null && state !== "busy" && state.total > 0;
    for (const step of this.steps) step.disabled = !hasHits;
    this.count.textContent = said(state);
  }

  private toggle(): void {
    if (this.isOpen) this.close();
    else this.open();
  }

  private typed(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.options.changed(this.field.value), DELAY_MS);
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter") this.options.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }
}

function said(state: { at: number; total: number } | "busy" | null): string {
  if (state === null) return "";
  if (state === "busy") return l10n.t("Searching…");
  if (state.total === 0) return l10n.t("No hits");
  const { at, total } = state;
  return total >= MOST_HITS ? l10n.t("{0} of {1} or more", at + 1, total) : l10n.t("{0} of {1}", at + 1, total);
}
