/** The search in a whole document: in the texts of its pages, or in the blocks of its content. */

import type { MergedCell } from "../../../src/protocol/viewer";
import { textBlocks } from "../content";
import { fold, matches } from "./matching";

/** A stretch of the document, folded: a page, or a block of the content that begins at a character of it. */
export interface Stretch {
  page: number | null;
  offset: number;
  text: string;
}

export interface Hit {
  page: number | null;
  offset: number;
}

/** More are not counted. */
export const MOST_HITS = 10_000;

const SLICE_MS = 12;
/** Paragraphs of the content that are parsed at a time, in characters. */
const PART = 50_000;

/** Pages as they can be searched. Gives way to the reader's keys again and again. */
export async function stretchesOfPages(pages: readonly { page: number; text: string }[]): Promise<Stretch[]> {
  const found: Stretch[] = [];
  let since = performance.now();
  for (const { page, text } of pages) {
    found.push({ page, offset: 0, text: fold(text).text });
    since = await breath(since);
  }
  return found;
}

/** The blocks of Markdown content, as they are shown; `merged` are cells of its tables, in order. */
export async function stretchesOfContent(markdown: string, merged: readonly MergedCell[] = []): Promise<Stretch[]> {
  const found: Stretch[] = [];
  let since = performance.now();
  let next = 0;
  for (let start = 0; start < markdown.length;) {
    const gap = start + PART >= markdown.length ? -1 : markdown.indexOf("\n\n", start + PART);
    const end = gap < 0 ? markdown.length : gap + 2;
    const first = next;
    while ((merged[next]?.offset ?? Infinity) < end) next += 1;
    for (const { offset, text } of textBlocks(markdown.slice(start, end), start, merged.slice(first, next))) {
      found.push({ page: null, offset: start + offset, text: fold(text).text });
    }
    start = end;
    since = await breath(since);
  }
  return found;
}

/** The first hits of a query in order. */
export function search(stretches: readonly Stretch[], query: string): Hit[] {
  const needle = needleOf(query);
  const found: Hit[] = [];
  for (const { page, offset, text } of stretches) {
    for (let left = matches(text, needle).length; left > 0; left -= 1) found.push({ page, offset });
    if (found.length >= MOST_HITS) return found.slice(0, MOST_HITS);
  }
  return found;
}

/** The query as it is compared. */
export function needleOf(query: string): string {
  return fold(query).text;
}

async function breath(since: number): Promise<number> {
  if (performance.now() - since < SLICE_MS) return since;
  await new Promise((resolve) => setTimeout(resolve));
  return performance.now();
}
