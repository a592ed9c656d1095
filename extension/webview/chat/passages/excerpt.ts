/** Passages as running text: their beginning, or the sentences that bear out the answer with what stands around them. */

import type { Citation } from "../../../src/core/api/types";
import { highlightSpans } from "../../../src/protocol/highlights";
import { h } from "../../shared/dom";

export interface Piece {
  text: string;
  marked: boolean;
}

/** The beginning of a passage. */
export function excerpt(content: string, longest: number): string {
  return clipped(plain(content).trim(), longest);
}

/**
 * From at most `before` characters in front of the first marked sentence on, at most `longest` characters in all; the beginning of
 * the passage where no sentence is marked.
 */
export function sentences(citation: Citation, before: number, longest: number): Piece[] {
  const { content } = citation;
  const spans = highlightSpans(citation);
  const first = spans[0];
  if (first === undefined) return [{ text: excerpt(content, longest), marked: false }];
  const pieces: Piece[] = [];
  const add = (text: string, marked: boolean) => text !== "" && pieces.push({ text, marked });
  add(before === 0 ? "" : ending(plain(content.slice(0, first[0])).trimStart(), before), false);
  let at = first[0];
  for (const [start, end] of spans) {
    add(plain(content.slice(at, start)), false);
    add(plain(content.slice(start, end)).trim(), true);
    at = end;
  }
  add(plain(content.slice(at)).trimEnd(), false);
  return cut(pieces, longest);
}

export function drawn(pieces: readonly Piece[]): (Node | string)[] {
  return pieces.map(({ text, marked }) => (marked ? h("mark", { class: "bears-out" }, text) : text));
}

function plain(text: string): string {
  return text
    .replace(/^[ \t]*(?:#{1,6}|[-*+>]|\|[-:| ]+\|$)[ \t]*/gm, "")
    .replace(/\*\*|`/g, "")
    .replace(/\|/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ");
}

function clipped(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).trimEnd()}…`;
}

/** The end of a text, from the beginning of a word on. */
function ending(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = text.slice(-longest);
  const blank = end.indexOf(" ");
  return `…${blank >= 0 && blank < longest / 2 ? end.slice(blank + 1) : end}`;
}

function cut(pieces: readonly Piece[], longest: number): Piece[] {
  const kept: Piece[] = [];
  let room = longest;
  for (const piece of pieces) {
    if (room <= 0) break;
    kept.push({ ...piece, text: clipped(piece.text, room) });
    room -= piece.text.length;
  }
  return kept;
}
