/** The passages of an answer as a strip of cards, one for each document, with the sentence that bears out the answer marked. */

import * as l10n from "@vscode/l10n";

import type { Citation } from "../../../src/core/api/types";
import { asOfText, placeLabel, shortName } from "../../../src/protocol/places";
import { docIcon } from "../../shared/docIcon";
import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

import type { AssistantMessage } from "../types";
import { citationTitle } from "./citationChips";
import { drawn, sentences } from "./excerpt";

const EXCERPT = 220;

export interface PassageContext {
  open: (citationId: number) => void;
}

/** Foldable; the cards are made when it is first unfolded. */
export function passageStrip(message: AssistantMessage, context: PassageContext, open: boolean): HTMLElement {
  const { citations, retrieval } = message;
  const cards = h("ol", { class: "passage-strip", "aria-label": l10n.t("Passages") });
  const count = citations.length === 1 ? l10n.t("1 passage") : l10n.t("{0} passages", citations.length);
  const details = h(
    "details",
    { class: "passages", open },
    h(
      "summary",
      {},
      icon("chevronRight"),
      h("span", {}, count),
      retrieval && h("span", { class: "quiet" }, seconds(retrieval.latencyMs)),
    ),
    cards,
  );
  const fill = () => {
    if (details.open && cards.childElementCount === 0)
      cards.append(...byDocument(citations).map(([first, ...others]) => card(first, others, context)));
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

/** In the order of the best passage of each. */
function byDocument(citations: readonly Citation[]): [Citation, ...Citation[]][] {
  const groups = new Map<string, [Citation, ...Citation[]]>();
  for (const citation of citations) {
    const own = groups.get(citation.doc_id);
    if (own) own.push(citation);
    else groups.set(citation.doc_id, [citation]);
  }
  return [...groups.values()];
}

function card(first: Citation, others: readonly Citation[], { open }: PassageContext): HTMLElement {
  const file = shortName(first.source);
  const title = first.title === file ? "" : first.title;
  return h(
    "li",
    { class: "passage-card" },
    h(
      "div",
      { class: "passage-head", title: title === "" ? first.source : `${title}\n${first.source}` },
      docIcon(first.doc_type),
      h("span", { class: "passage-file" }, file),
    ),
    h(
      "ul",
      { class: "passage-places" },
      ...[first, ...others].map((citation) => passage(citation, others.length > 0, open)),
    ),
  );
}

function passage(citation: Citation, isOneOfSeveral: boolean, open: (id: number) => void): HTMLElement {
  const asOf = asOfText(citation, document.documentElement.lang);
  return h(
    "li",
    { class: isOneOfSeveral ? "passage one-of-several" : "passage", "data-testid": "passage" },
    h(
      "button",
      {
        type: "button",
        class: "passage-open",
        title: citation.source,
        "data-passage": citation.id,
        onclick: () => open(citation.id),
      },
      h(
        "span",
        { class: "passage-where" },
        h("span", { class: "passage-number" }, String(citation.id)),
        h("span", { class: "passage-place" }, placeLabel(citation) || citationTitle(citation)),
        asOf !== "" && h("span", { class: "passage-as-of" }, asOf),
      ),
      h("span", { class: "passage-excerpt" }, ...drawn(sentences(citation, 0, EXCERPT))),
    ),
  );
}

export function seconds(milliseconds: number): string {
  if (milliseconds < 1000) return l10n.t("{0} ms", Math.round(milliseconds));
  return l10n.t("{0} s", (milliseconds / 1000).toFixed(1));
}
