/** A document's content (the Markdown that the daemon read in it) as the viewer shows it: a part, with the passage's lines. */

import type { ContentPart, LineSpan } from "../../protocol/viewer";
import type { Chunk } from "../api/types";

/** `[start, end)`, in UTF-16 units. */
export type Span = [number, number];

const PART_LENGTH = 200_000;

/** Where passages stand in the content. `chunks` are all of the document, in order: that tells repeated texts apart. */
export function passageSpans(markdown: string, chunks: readonly Chunk[], chunkIds: readonly string[]): Span[] {
  const wanted = new Set(chunkIds);
  const spans: Span[] = [];
  let from = 0;
  for (const chunk of chunks) {
    const start = markdown.indexOf(chunk.content, from);
    if (start < 0) continue;
    // Neighbours may overlap, so the next one is looked for behind this one's beginning, not behind its end.
    from = start + 1;
    if (wanted.has(chunk.chunk_id)) spans.push([start, start + chunk.content.length]);
  }
  return joined(markdown, spans);
}

/** The span of a passage whose ids are not known any more, by its text. */
export function textSpan(markdown: string, content: string): Span[] {
  const text = content.trim();
  const start = text === "" ? -1 : markdown.indexOf(text);
  return start < 0 ? [] : [[start, start + text.length]];
}

/** The span of the section with this heading, where a passage itself is not known. */
export function headingSpan(markdown: string, heading: string | undefined): Span[] {
  if (!heading) return [];
  const escaped = heading.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`^#{1,6}[ \\t]+${escaped}[ \\t]*$`, "m").exec(markdown);
  return found ? [[found.index, found.index + found[0].length]] : [];
}

/** A part of the content that begins at `from` or, without it, holds the first span; cut between paragraphs. */
export function contentPart(
  markdown: string,
  spans: readonly Span[],
  from?: number,
  length = PART_LENGTH,
): ContentPart {
  if (from === undefined) return partAround(markdown, spans, spans[0]?.[0] ?? 0, length);
  return partFrom(markdown, spans, from === 0 || markdown.length <= length ? 0 : cut(markdown, from), length);
}

/** The part that holds the character `at`, with some of what stands before it. */
export function partAround(markdown: string, spans: readonly Span[], at: number, length = PART_LENGTH): ContentPart {
  const wanted = Math.max(0, at - Math.floor(length / 4));
  let start = wanted === 0 || markdown.length <= length ? 0 : cut(markdown, wanted);
  // A paragraph, or a table, that is longer than that begins before it.
  if (start > at) start = markdown.lastIndexOf("\n\n", at - 2) + 2;
  return partFrom(markdown, spans, start < 2 ? 0 : start, length);
}

function partFrom(markdown: string, spans: readonly Span[], start: number, length: number): ContentPart {
  const end = start + length >= markdown.length ? markdown.length : cut(markdown, start + length);
  const text = markdown.slice(start, end);
  const lines = spans
    .filter(([first, last]) => first < end && last > start)
    .map(([first, last]) => lineSpan(text, Math.max(0, first - start), Math.min(text.length, last - start)));
  return {
    text,
    start,
    lines,
    rows: [],
    merged: [],
    slides: [],
    before: start === 0 ? null : Math.max(0, start - length),
    after: end === markdown.length ? null : end,
  };
}

/** Where characters that are counted in code points, ascending, stand in UTF-16 units. */
export function utf16Offsets(text: string, codePoints: readonly number[]): number[] {
  const found: number[] = [];
  let unit = 0;
  let point = 0;
  for (const wanted of codePoints) {
    for (; point < wanted && unit < text.length; point += 1) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
    found.push(unit);
  }
  return found;
}

function joined(markdown: string, spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const [start, end] of spans) {
    const last = result.at(-1);
    if (last && (start <= last[1] || markdown.slice(last[1], start).trim() === "")) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** The beginning of the paragraph that follows `position`, else `position` itself. */
function cut(markdown: string, position: number): number {
  if (markdown.startsWith("\n\n", position - 2)) return position;
  const gap = markdown.indexOf("\n\n", position);
  return gap < 0 ? markdown.length : gap + 2;
}

function lineSpan(text: string, start: number, end: number): LineSpan {
  const first = newlines(text, 0, start);
  return [first, first + newlines(text, start, Math.max(start, end - 1)) + 1];
}

function newlines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
