/** Pictures and diagrams of the passages that an answer cites, below its text. */

import * as l10n from "@vscode/l10n";

import type { Citation } from "../../../src/core/api/types";
import { moreLikeIt, picturesOf } from "../../../src/protocol/pictures";
import { drawDiagram } from "../../shared/diagram";
import { h } from "../../shared/dom";

import { citationName } from "./citationChips";
import { descriptionOf, imageName, type Images } from "./images";

const MOST_PICTURES = 6;
const MOST_DIAGRAMS = 2;
const LONGEST_DIAGRAM = 20_000;
const DIAGRAM = /^(`{3,}|~{3,})mermaid[^\n]*\n([\s\S]*?)\n\1[ \t]*$/gm;

/** `cited`: in the order of the text. `text` is the answer's own: what it draws itself is not drawn again. */
export function answerPictures(cited: readonly Citation[], text: string, images: Images): HTMLElement[] {
  return [...pictures(cited, images), ...diagrams(cited, text)];
}

function pictures(cited: readonly Citation[], images: Images): HTMLElement[] {
  const shown = picturesOf(cited).slice(0, MOST_PICTURES);
  if (shown.length === 0) return [];
  const figures = shown.map(({ citation, image, more }) =>
    figure(
      citation,
      `${imageName(image)} ${moreLikeIt(more)}`.trimEnd(),
      images.button(image),
      ...descriptionOf(image),
    ),
  );
  return [h("div", { class: "answer-pictures" }, ...figures)];
}

function diagrams(cited: readonly Citation[], text: string): HTMLElement[] {
  const sources = new Map<string, Citation>();
  for (const citation of cited) {
    // What an author wrote in Mermaid is drawn as written, other diagrams as the daemon understood them.
    const written = [...citation.content.matchAll(DIAGRAM)].map(([, , source = ""]) => source);
    const derived = citation.mermaid ?? [];
    for (const source of written.length < derived.length ? derived : written) {
      const isNew = !sources.has(source) && !text.includes(source);
      if (isNew && source.length <= LONGEST_DIAGRAM) sources.set(source, citation);
    }
  }
  return [...sources].slice(0, MOST_DIAGRAMS).map(([source, citation]) => {
    const code = h("pre", { tabindex: 0, role: "group", "aria-label": l10n.t("Code: {0}", "mermaid") }, source);
    const place = h("div", { class: "code" }, code);
    drawDiagram(code, source);
    return figure(citation, "", place);
  });
}

function figure(citation: Citation, name: string, content: HTMLElement, ...below: HTMLElement[]): HTMLElement {
  const from = citationName(citation);
  const number = h(
    "button",
    {
      ...{ type: "button", class: "chip", "data-citation": citation.id },
      "aria-label": l10n.t("Citation {0}: {1}", citation.id, from),
    },
    String(citation.id),
  );
  return h(
    "figure",
    { class: "answer-picture" },
    content,
    h("figcaption", {}, number, ` ${name === "" ? from : name}`, ...below),
  );
}
