/**
 * Marks the sentences of an answer that its passages do not bear out.
 *
 * The verification names code points of the Markdown source. In the page a sentence is found again by its letters and
 * digits alone, within the blocks that its place falls into: what Markdown takes away (marks, addresses of links) and
 * what we put in (chips) plays no part then.
 */

import * as l10n from "@vscode/l10n";

import type { Support } from "../../../src/core/api/types";
import { unitsOf } from "../../../src/protocol/highlights";
import { h } from "../../shared/dom";
import { requestDraw, type Drawable } from "../../shared/frames";
import { icon } from "../../shared/icons";
import { locate, wrap } from "../../shared/sentences";
import type { StreamedMarkdown } from "../../shared/stream";

const NOT_ITS_TEXT = ".chip, .code";

const CHUNK_MS = 8;
const marking = new WeakMap<StreamedMarkdown, Drawable>();

/** Sets the marks anew: those of an earlier call are taken away first. Of a long answer some stand at once, the others follow. */
export function markUnsupported(answer: StreamedMarkdown, source: string, support: readonly Support[]): void {
  marking.delete(answer);
  for (const mark of answer.element.querySelectorAll(".unsupported-mark")) mark.remove();
  for (const marked of answer.element.querySelectorAll(".unsupported")) marked.replaceWith(...marked.childNodes);
  answer.element.normalize();
  const doubtful = support.filter((sentence) => !sentence.supported);
  if (doubtful.length === 0) return;
  const units = unitsOf(
    source,
    doubtful.flatMap(({ start, end }) => [start, end]),
  );
  let next = 0;
  const rest: Drawable = {
    isWhole: true,
    draw: (until) => {
      while (next < doubtful.length && marking.get(answer) === rest) {
        const sentence = doubtful[next++];
        if (sentence)
          markSentence(answer, source, units.get(sentence.start) ?? 0, units.get(sentence.end) ?? source.length);
        if (performance.now() >= until) return next === doubtful.length;
      }
      return true;
    },
  };
  marking.set(answer, rest);
  if (!rest.draw(performance.now() + CHUNK_MS)) requestDraw(rest);
}

function markSentence(answer: StreamedMarkdown, source: string, start: number, end: number): void {
  const nodes = [...answer.blocksBetween(start, end)]
    .flatMap((piece) => piece.nodes)
    .filter((node) => node.isConnected);
  if (nodes.length > 0) markIn(nodes, source.slice(start, end));
}

function markIn(nodes: readonly Node[], sentence: string): void {
  const plain = sentence.replace(/\[\d{1,3}\]/g, "").replace(/\]\([^)\s]*\)/g, "]");
  const range = locate(nodes, plain, NOT_ITS_TEXT);
  if (range === undefined) {
    // Not found letter by letter (an entity, say): the mark stands at the end of its block.
    const block = nodes.findLast((node): node is Element => node instanceof Element);
    block?.append(doubt());
    return;
  }
  wrap(range, () => h("span", { class: "unsupported" }), ".chip, .unsupported-mark")?.after(doubt());
}

function doubt(): HTMLElement {
  const text = l10n.t("Not supported by the passages");
  return h("span", { class: "unsupported-mark", role: "img", "aria-label": text, title: text }, icon("warning"));
}
