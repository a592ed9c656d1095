/** The numbered passages of an answer. */

import * as l10n from "@vscode/l10n";

import type { Citation } from "../../../src/core/api/types";
import { asOfText, placeLabel, shortName } from "../../../src/protocol/places";
import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

import type { AssistantMessage } from "../types";
import { citationTitle } from "./citationChips";
import { excerpt } from "./excerpt";
import type { Images } from "./images";

export interface PassageContext {
  images: Images;
  open: (citationId: number) => void;
}

/** Foldable; the list is made when it is first unfolded. */
export function passageList(message: AssistantMessage, context: PassageContext, open: boolean): HTMLElement {
  const { citations, retrieval } = message;
  const list = h("ol", { class: "passage-list" });
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
    list,
  );
  const fill = () => {
    if (details.open && list.childElementCount === 0) {
      list.append(...citations.map((citation) => passage(citation, retrieval?.scores[citation.chunk_id], context)));
    }
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

function passage(citation: Citation, score: number | undefined, { images, open }: PassageContext): HTMLElement {
  const where = placeLabel(citation);
  const shown = score === undefined ? "" : score.toFixed(2);
  const title = citationTitle(citation);
  const file = shortName(citation.source);
  const asOf = asOfText(citation, document.documentElement.lang);
  return h(
    "li",
    { class: "passage", "data-testid": "passage" },
    h(
      "button",
      {
        type: "button",
        class: "passage-open",
        title: citation.source,
        onclick: () => open(citation.id),
      },
      h("span", { class: "passage-number" }, String(citation.id)),
      h(
        "span",
        { class: "passage-text" },
        h(
          "span",
          { class: "passage-head" },
          h("span", { class: "passage-title" }, title),
          where !== "" && where !== title && h("span", { class: "passage-place" }, where),
          title !== file && h("span", { class: "passage-file" }, file),
          asOf !== "" && h("span", { class: "passage-as-of" }, asOf),
          shown !== "" && h("span", { class: "passage-score", title: l10n.t("Score, from 0 to 1") }, shown),
        ),
        h("span", { class: "passage-excerpt" }, excerpt(citation.content, 240)),
      ),
    ),
    citation.images.length > 0 &&
      h("div", { class: "pictures" }, ...citation.images.map((image) => images.button(image))),
  );
}

export function seconds(milliseconds: number): string {
  if (milliseconds < 1000) return l10n.t("{0} ms", Math.round(milliseconds));
  return l10n.t("{0} s", (milliseconds / 1000).toFixed(1));
}
