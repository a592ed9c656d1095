/** The text of a page as it is read, beside the page as it is printed. */

import * as l10n from "@vscode/l10n";

import type { PageParagraph } from "../../src/protocol/viewer";
import { h } from "../shared/dom";

export function drawParagraphs(paragraphs: readonly PageParagraph[]): HTMLElement[] {
  return paragraphs.map(({ kind, text }) => {
    switch (kind) {
      case "heading":
        return h("h3", { class: "printed" }, text);
      case "code":
        return h("pre", { class: "printed", tabindex: 0 }, text);
      case "table":
        return h(
          "div",
          { class: "table printed", tabindex: 0, role: "group", "aria-label": l10n.t("Table") },
          table(text),
        );
      case "text":
        return h("p", { class: "printed" }, text);
    }
  });
}

function table(text: string): HTMLElement {
  const row = (line: string, tag: "th" | "td") => h("tr", {}, ...line.split("\t").map((cell) => h(tag, {}, cell)));
  const [head = "", ...lines] = text.split("\n");
  return h("table", {}, h("thead", {}, row(head, "th")), h("tbody", {}, ...lines.map((line) => row(line, "td"))));
}
