/** A workbook's sheets as tabs below their tables. */

import * as l10n from "@vscode/l10n";

import type { Sheet } from "../../src/protocol/viewer";
import { h } from "../shared/dom";

export class SheetTabs {
  readonly element: HTMLElement;
  private readonly tabs: HTMLButtonElement[];

  constructor(
    private readonly sheets: readonly Sheet[],
    open: (sheet: Sheet) => void,
  ) {
    this.tabs = sheets.map((sheet) =>
      h("button", { role: "tab", class: "sheet-tab", onclick: () => open(sheet) }, sheet.title),
    );
    this.element = h(
      "div",
      { class: "sheets", role: "tablist", "aria-label": l10n.t("Sheets"), onkeydown: (event) => this.key(event) },
      ...this.tabs,
    );
  }

  /** Marks the sheet with a character of the content. */
  mark(offset: number): void {
    const current = Math.max(
      0,
      this.sheets.findLastIndex((sheet) => sheet.offset <= offset),
    );
    for (const [index, tab] of this.tabs.entries()) {
      tab.setAttribute("aria-selected", String(index === current));
      tab.tabIndex = index === current ? 0 : -1;
      if (index === current) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.tabs.findIndex((tab) => tab === document.activeElement);
    const next = this.tabs[(at + step + this.tabs.length) % this.tabs.length];
    next?.focus();
    next?.click();
  }
}
