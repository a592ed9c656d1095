/** Full-text search over conversations: case and width do not matter, all words must occur, an excerpt shows where. */

import type { Session } from "../../protocol/session";

const BEFORE = 40;
const AFTER = 100;

/** Texts of a session, title first, each with its folded form, in which it is searched. */
export interface Searchable {
  texts: { shown: string; folded: string }[];
}

/** NFKC makes full-width letters, half-width kana and composed characters alike. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

export function searchable(session: Session): Searchable {
  const texts = [session.title, ...session.messages.map((message) => message.text)];
  return { texts: texts.filter((text) => text !== "").map((shown) => ({ shown, folded: fold(shown) })) };
}

/** The words of a query, folded; all must be found. */
export function wordsOf(query: string): string[] {
  return fold(query)
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Where the words were found, with what stands around; undefined when one of them does not occur. */
export function excerpt({ texts }: Searchable, words: readonly string[]): string | undefined {
  if (!words.every((word) => texts.some(({ folded }) => folded.includes(word)))) return undefined;
  // The text that holds most of them; a message rather than the title, which is shown anyway.
  const count = (folded: string) => words.filter((word) => folded.includes(word)).length;
  let best: Searchable["texts"][number] | undefined;
  let most = 0;
  for (const text of texts.toReversed()) {
    const found = count(text.folded);
    if (found > most) [best, most] = [text, found];
  }
  const word = words.find((one) => best?.folded.includes(one));
  return best && word !== undefined ? cut(best, word) : undefined;
}

function cut({ shown, folded }: Searchable["texts"][number], word: string): string {
  const at = positionOf(shown, folded.indexOf(word), word);
  const start = boundary(shown, Math.max(0, at - BEFORE));
  const end = boundary(shown, Math.min(shown.length, at + word.length + AFTER));
  const text = shown.slice(start, end).replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${text}${end < shown.length ? "…" : ""}`;
}

/** Where in the shown text the place of the folded one is: folding may change lengths. */
function positionOf(shown: string, foldedAt: number, word: string): number {
  if (fold(shown.slice(foldedAt, foldedAt + word.length)) === word) return foldedAt;
  let length = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(shown)) {
    length += fold(segment).length;
    if (length > foldedAt) return index;
  }
  return shown.length;
}

/** Not between the two halves of a character. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
