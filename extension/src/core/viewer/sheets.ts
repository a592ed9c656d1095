/** A workbook's content as its sheets, each with its rows as the workbook counts them. */

import type { ContentPart, Sheet, SheetRow } from "../../protocol/viewer";
import type { OutlinePlace, SheetRowPlace } from "../api/types";
import { utf16Offsets, type Span } from "./content";

/** The sheets by the headings that they have in the content. */
export function sheetsOf(markdown: string, outline: readonly OutlinePlace[]): Sheet[] {
  const headings = outline.filter((entry) => entry.level === 1 && typeof entry.sheet === "string");
  const offsets = utf16Offsets(
    markdown,
    headings.map((entry) => entry.start),
  );
  return headings.map(({ title }, index) => ({ title, offset: offsets[index] ?? 0 }));
}

/** A part of the sheet that holds the character `at`, made of that sheet alone by `cut`. */
export function partOfSheet(
  markdown: string,
  spans: readonly Span[],
  sheets: readonly Sheet[],
  at: number,
  cut: (text: string, spans: readonly Span[], at: number) => ContentPart,
): ContentPart {
  const index = Math.max(
    0,
    sheets.findLastIndex(({ offset }) => offset <= at),
  );
  const start = index === 0 ? 0 : (sheets[index]?.offset ?? 0);
  const end = sheets[index + 1]?.offset ?? markdown.length;
  const here = spans
    .filter(([first, last]) => first < end && last > start)
    .map(([first, last]): Span => [Math.max(0, first - start), Math.min(end, last) - start]);
  const part = cut(markdown.slice(start, end), here, Math.max(0, at - start));
  const shifted = (place: number | null) => (place === null ? null : place + start);
  return { ...part, start: part.start + start, before: shifted(part.before), after: shifted(part.after) };
}

/** `[start, end)` of a part in code points, as the daemon counts. */
export function codePointsOf(markdown: string, { start, text }: Pick<ContentPart, "start" | "text">): [number, number] {
  const before = start - pairs(markdown, 0, start);
  return [before, before + text.length - pairs(text, 0, text.length)];
}

/** The rows by the lines of the part at which they begin. `first` is the part's first character, in code points. */
export function rowsByLine(text: string, first: number, rows: readonly SheetRowPlace[]): SheetRow[] {
  const offsets = utf16Offsets(
    text,
    rows.map((row) => row.start - first),
  );
  let line = 0;
  let at = 0;
  return rows.map(({ top, bottom, left, right }, index) => {
    const offset = offsets[index] ?? 0;
    for (let next = text.indexOf("\n", at); next >= 0 && next < offset; next = text.indexOf("\n", at)) {
      line += 1;
      at = next + 1;
    }
    return { line, top, bottom, left, right };
  });
}

/** How many characters of a stretch take two units. */
function pairs(text: string, start: number, end: number): number {
  let count = 0;
  for (let unit = start; unit < end; unit += 1) {
    const code = text.charCodeAt(unit);
    if (code >= 0xd800 && code < 0xdc00) count += 1;
  }
  return count;
}
