/**
 * Marks the sentences of an answer that its passages do not bear out.
 *
 * The verification names code points of the Markdown source. In the page a sentence is found again by its letters and
 * digits alone, within the blocks that its place falls into: what Markdown takes away (marks, addresses of links) and
 * what we put in (chips) plays no part then.
 */

import * as l10n from "@vscode/l10n";

import type { Support } from "../../../src/core/api/types";
import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";
import type { StreamedMarkdown } from "../../shared/stream";

const LETTER = /[\p{L}\p{N}]/u;

/** Sets the marks anew: those of an earlier call are taken away first. */
export function markUnsupported(answer: StreamedMarkdown, source: string, support: readonly Support[]): void {
  for (const mark of answer.element.querySelectorAll(".unsupported-mark")) mark.remove();
  for (const marked of answer.element.querySelectorAll(".unsupported")) marked.replaceWith(...marked.childNodes);
  answer.element.normalize();
  const doubtful = support.filter((sentence) => !sentence.supported);
  if (doubtful.length === 0) return;
  const units = utf16Offsets(source, doubtful);
  for (const sentence of doubtful) {
    const [start, end] = [units.get(sentence.start) ?? 0, units.get(sentence.end) ?? source.length];
    const nodes = [...answer.blocksBetween(start, end)]
      .flatMap((piece) => piece.nodes)
      .filter((node) => node.isConnected);
    if (nodes.length > 0) markIn(nodes, source.slice(start, end));
  }
}

/** Offsets in code points → offsets in UTF-16 units, for the ends of these sentences; one walk through the text. */
function utf16Offsets(source: string, sentences: readonly Support[]): Map<number, number> {
  const wanted = new Set(sentences.flatMap(({ start, end }) => [start, end]));
  const found = new Map<number, number>();
  let [points, units] = [0, 0];
  for (const character of source) {
    if (wanted.has(points)) found.set(points, units);
    points += 1;
    units += character.length;
  }
  return found.set(points, units);
}

function markIn(nodes: readonly Node[], sentence: string): void {
  const plain = sentence.replace(/\[\d{1,3}\]/g, "").replace(/\]\([^)\s]*\)/g, "]");
  const wanted = letters(plain);
  const { text, places, characters } = lettersOf(nodes);
  const at = text.indexOf(wanted);
  const [first, end] = [places[at], places[at + wanted.length - 1]];
  if (wanted === "" || at === -1 || first === undefined || end === undefined) {
    // Not found letter by letter (an entity, say): the mark stands at the end of its block.
    const block = nodes.findLast((node): node is Element => node instanceof Element);
    block?.append(doubt());
    return;
  }
  // Its full stop and the like, which may stand in another text than its last letter.
  const stops = /[^\p{L}\p{N}\s*_`~\[\]|]*[*_`~\]|\s]*$/u.exec(plain)?.[0].replace(/[*_`~\]|\s]/g, "") ?? "";
  let last = end;
  for (const stop of stops) {
    const next = characters[last.index + 1];
    if (next?.character !== stop) break;
    last = next;
  }
  const range = document.createRange();
  range.setStart(first.node, first.offset);
  range.setEnd(last.node, last.offset + last.character.length);
  wrap(range);
}

/** Underline each text node of the range by itself: a sentence may cross emphasis and code. */
function wrap(range: Range): void {
  const root = range.commonAncestorContainer;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: [Text, number, number][] = [];
  for (let node: Node | null = root instanceof Text ? root : walker.nextNode(); node; node = walker.nextNode()) {
    const text = node as Text;
    if (!range.intersectsNode(text) || text.parentElement?.closest(".chip, .unsupported-mark")) continue;
    const from = text === range.startContainer ? range.startOffset : 0;
    const to = text === range.endContainer ? range.endOffset : text.length;
    if (text.data.slice(from, to).trim() !== "") texts.push([text, from, to]);
  }
  let last: HTMLElement | undefined;
  for (const [text, from, to] of texts) {
    const middle = from > 0 ? text.splitText(from) : text;
    if (to - from < middle.length) middle.splitText(to - from);
    last = h("span", { class: "unsupported" });
    middle.replaceWith(last);
    last.append(middle);
  }
  last?.after(doubt());
}

function doubt(): HTMLElement {
  const text = l10n.t("Not supported by the passages");
  return h("span", { class: "unsupported-mark", role: "img", "aria-label": text, title: text }, icon("warning"));
}

interface Place {
  node: Text;
  offset: number;
  character: string;
  /** Of all characters but spaces. */
  index: number;
}

interface Letters {
  text: string;
  /** One for each UTF-16 unit of `text`, as indexOf counts them. */
  places: Place[];
  characters: Place[];
}

function lettersOf(nodes: readonly Node[]): Letters {
  const found: Letters = { text: "", places: [], characters: [] };
  for (const root of nodes) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node: Node | null = root instanceof Text ? root : walker.nextNode(); node; node = walker.nextNode()) {
      const text = node as Text;
      if (!text.parentElement?.closest(".chip, .code")) collect(text, found);
    }
  }
  return found;
}

function collect(node: Text, found: Letters): void {
  let offset = 0;
  for (const character of node.data) {
    if (character.trim() !== "") {
      const place = { node, offset, character, index: found.characters.length };
      found.characters.push(place);
      if (LETTER.test(character)) {
        found.text += character;
        for (let unit = 0; unit < character.length; unit += 1) found.places.push(place);
      }
    }
    offset += character.length;
  }
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
