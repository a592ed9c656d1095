/** `[n]` in an answer becomes a chip that names its passage and opens its place. */

import * as l10n from "@vscode/l10n";

import type { Citation } from "../../../src/core/api/types";
import { asOfText, placeLabel, shortName } from "../../../src/protocol/places";
import { h } from "../../shared/dom";

/** With the full stop or comma behind it, which must not begin a line. */
const MARK = /\[(\d{1,3})\]([.,;:!?)\]。、，．；：！？）」』】]*)/g;
/** Text in here is not ours to change. */
const VERBATIM = "pre, code, a, button, .math";

export function citationTitle(citation: Citation): string {
  return citation.title === "" ? shortName(citation.source) : citation.title;
}

/** "Handbook, page 3": as a screen reader says it. */
export function citationName(citation: Citation): string {
  const about = [placeLabel(citation), asOfText(citation, document.documentElement.lang)].filter((part) => part !== "");
  const title = citationTitle(citation);
  return about.length === 0 ? title : l10n.t("{0}, {1}", title, about.join(l10n.t(", ")));
}

export function chip(citation: Citation): HTMLButtonElement {
  const label = l10n.t("Citation {0}: {1}", citation.id, citationName(citation));
  const names = {
    type: "button",
    // A line under the number where its text may be older than the page.
    class: citation.as_of ? "chip as-of" : "chip",
    "data-testid": "citation",
    "data-citation": citation.id,
    "aria-label": label,
  };
  return h("button", names, String(citation.id));
}

/** Only numbers that stand for a passage become chips; others stay text. */
export function insertChips(root: ParentNode & Node, citations: readonly Citation[]): void {
  const known = new Map(citations.map((citation) => [citation.id, citation]));
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (text.data.includes("[") && !text.parentElement?.closest(VERBATIM)) texts.push(text);
  }
  for (const text of texts) {
    const parts: (Node | string)[] = [];
    let from = 0;
    for (const match of text.data.matchAll(MARK)) {
      const citation = known.get(Number(match[1]));
      if (citation === undefined) continue;
      const mark = chip(citation);
      const stop = match[2] ?? "";
      parts.push(text.data.slice(from, match.index), stop === "" ? mark : h("span", { class: "together" }, mark, stop));
      from = match.index + match[0].length;
    }
    if (parts.length > 0) text.replaceWith(...parts.filter((part) => part !== ""), text.data.slice(from));
  }
}
