/** The headings of a document, each of which leads to its place. */

import * as l10n from "@vscode/l10n";

import type { OutlineEntry } from "../../../src/protocol/viewer";
import { h } from "../../shared/dom";
import { VirtualList } from "./virtualList";

const ROW_HEIGHT = 24;

export class Outline {
  readonly list: VirtualList;

  constructor(
    private readonly entries: readonly OutlineEntry[],
    open: (entry: OutlineEntry) => void,
  ) {
    this.list = new VirtualList({
      label: l10n.t("Outline"),
      count: entries.length,
      rowHeight: ROW_HEIGHT,
      draw: (index) => row(entries[index]),
      open: (index) => {
        const entry = entries[index];
        if (entry) open(entry);
      },
    });
  }

  /** Marks the last heading at or before a page. */
  showPage(page: number): void {
    this.list.mark(this.entries.findLastIndex((entry) => entry.page !== null && entry.page <= page));
  }
}

function row(entry: OutlineEntry | undefined): { name: string; content: Node; level: number } {
  const { title = "", level = 1, page = null } = entry ?? {};
  const name = page === null ? title : l10n.t("{0}, page {1}", title, page);
  const content = h(
    "span",
    { class: "heading" },
    h("span", { class: "heading-title" }, title),
    // Drawn by the style sheet: the row's name says it in words, and a name has to hold the text that is seen.
    page !== null && h("span", { class: "heading-page", "data-page": page }),
  );
  return { name, content, level: level - 1 };
}
