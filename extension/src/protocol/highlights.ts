/** The sentences of a passage that bear out a question or an answer: the daemon names them by code points. */

import type { Citation } from "../core/api/types";

/** `[start, end)`, in UTF-16 units. */
export type Span = [number, number];

type Highlighted = Pick<Citation, "content" | "highlights">;

export function highlightSpans({ content, highlights }: Highlighted): Span[] {
  if (!highlights || highlights.length === 0) return [];
  const places = unitsOf(content, highlights.flat());
  const unit = (point: number) => places.get(point) ?? content.length;
  return highlights.map(([start, end]): Span => [unit(start), unit(end)]).filter(([start, end]) => start < end);
}

/** The sentences themselves. */
export function highlightedTexts(citation: Highlighted): string[] {
  return highlightSpans(citation).map(([start, end]) => citation.content.slice(start, end));
}

/** Offsets in code points → offsets in UTF-16 units; one walk through the text. */
export function unitsOf(text: string, points: readonly number[]): Map<number, number> {
  const wanted = new Set(points);
  const found = new Map<number, number>();
  let [point, unit] = [0, 0];
  for (const character of text) {
    if (wanted.has(point)) found.set(point, unit);
    point += 1;
    unit += character.length;
  }
  return found.set(point, unit);
}
