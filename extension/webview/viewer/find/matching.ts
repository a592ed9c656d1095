/** How a text is searched: without case, width and line breaks, and with words that a line's end has divided. */

/** Text as it is compared; `places` says for each of its UTF-16 units at which unit of the original it stands. */
export interface Folded {
  text: string;
  places: number[];
}

/** Between blocks of text: no match goes across it. */
export const BOUNDARY = "\0";

const BLANK = /\s/;
// Written without blanks between words, so that a blank or a line's end beside one of them is none.
const CLOSE = /[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]|[\u{20000}-\u{3ffff}]/u;
const DIVIDED = /-[^\S\n]*\n\s*(?=\p{Ll})/uy;
const LETTER = /\p{L}/u;
const SOFT_HYPHEN = "\u00ad";

export function fold(text: string): Folded {
  const parts: string[] = [];
  const places: number[] = [];
  let gap = -1;
  let last = "";
  const put = (piece: string, place: number) => {
    parts.push(piece);
    for (let unit = 0; unit < piece.length; unit += 1) places.push(place);
  };
  for (let at = 0; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const here = at;
    at += character.length;
    if (character === SOFT_HYPHEN) continue;
    if (BLANK.test(character)) {
      if (gap < 0) gap = here;
      continue;
    }
    if (character === "-" && LETTER.test(last)) {
      DIVIDED.lastIndex = here;
      if (DIVIDED.test(text)) {
        at = DIVIDED.lastIndex;
        continue;
      }
    }
    if (gap >= 0 && last !== "" && !CLOSE.test(last) && !CLOSE.test(character)) put(" ", gap);
    gap = -1;
    last = character;
    put((character < "\u0080" ? character : character.normalize("NFKC")).toLowerCase(), here);
  }
  return { text: parts.join(""), places };
}

/** Where the needle, which is folded, begins in a folded text. Matches do not overlap. */
export function matches(folded: string, needle: string): number[] {
  const found: number[] = [];
  if (needle === "") return found;
  for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length)) found.push(at);
  return found;
}

/** `[start, end)` of a match in the original. */
export function original(text: string, places: readonly number[], start: number, length: number): [number, number] {
  const last = places[start + length - 1] ?? 0;
  return [places[start] ?? 0, last + String.fromCodePoint(text.codePointAt(last) ?? 0).length];
}
