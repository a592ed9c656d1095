/** What a line of Markdown is, as far as it ends or begins a block. */

export const FENCE = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;
export const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
export const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
export const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
export const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)\S|[ \t]*$)/;
export const INTERRUPTING_ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/;
/** Of a line being written: may still become something else than text. */
export const UNCLEAR = /^ {0,3}(?:[-*+_=~`#|>]*|\d{1,9}[.)]?|`{3,}.*|~{3,}.*|\|.*)[ \t]*$/;
export const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function isFenceEnd(text: string, fence: string): boolean {
  return text.startsWith(fence) && text.split(fence[0] ?? "`").join("") === "";
}

export function interrupts(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line);
}

/** `-`, `*`, `+`, or `.` and `)` for numbers: items of one list share it. */
export function marker(line: string): string {
  return ITEM.exec(line)?.[2]?.at(-1) ?? "";
}

/** Behind the last sentence before `limit` that leaves no emphasis, code or link open; else behind a space. */
export function sentenceEnd(text: string, limit: number): number {
  const head = text.slice(0, limit);
  const ends = [...head.matchAll(/[.!?](?=\s)|[。！？]/g)].map((match) => match.index + match[0].length);
  for (const end of ends.reverse()) {
    const part = head.slice(0, end);
    const even = (mark: string) => part.split(mark).length % 2 === 1;
    if (even("`") && even("**") && part.lastIndexOf("[") <= part.lastIndexOf("]")) return end;
  }
  const space = head.lastIndexOf(" ");
  return space > 0 ? space : limit;
}
