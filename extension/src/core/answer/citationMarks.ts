/**
 * Citation marks in an answer as it streams: those that were given stay, as `[1][2]`; others are taken out and counted.
 *
 * `[1]`, `[1][2]`, `[1, 2]`, `[1-3]`, and the same in full-width brackets, are marks. In code they are code. What may become a
 * mark is held back until it is decided, so that nothing that was shown has to be taken back. The daemon does the same in
 * `answer/citations.py`. However the text is cut, the result is the same, and the work grows with its length alone.
 */

/** A stretch of text, or the mark of a passage that was given. */
export type AnswerPart = { text: string } | { citation: number };

const DIGITS = "[0-9０-９]{1,3}";
const LIST = `${DIGITS}(?:\\s*[,，、;–~-]\\s*${DIGITS})*`;
const MARK = new RegExp(`^[[【［]\\s*(${LIST})\\s*[\\]】］]`);
const UNFINISHED = /^[[【［][\s0-9０-９,，、;–~-]*$/;
const RANGE = /([0-9]+)(?:\s*[–~-]\s*([0-9]+))?/g;
const MARKS = new RegExp(`[ \\t]*[[【［]\\s*${LIST}\\s*[\\]】］]`, "g");
const PLAIN = /[^`~[【［ \t\n]+/y;
const CODE = /[^`~\n]+/y;
// Runs are looked at in bounded stretches: the work for each character stays bounded, too.
const LONGEST_RUN = 64;
const LONGEST_MARK = 62;
const BLANKS = new RegExp(`[ \\t]{1,${LONGEST_RUN}}`, "y");
const TICKS = new RegExp(`\`{1,${LONGEST_RUN}}|~{3,${LONGEST_RUN}}`, "y");

/** Feed it pieces; it gives back what may be shown. */
export class CitationFilter {
  /** The given numbers that were met, in the order of their first mark. */
  readonly cited: number[] = [];
  /** Marks of what was never given. */
  removed = 0;
  private readonly given: ReadonlySet<number>;
  private pending = "";
  /** The ticks that opened the code that we are in. */
  private code = "";
  private lineIsBlank = true;
  private lineMayOpenFence = true;

  constructor(given: Iterable<number>) {
    this.given = new Set(given);
  }

  /** What is decided by now, of all that came. */
  feed(piece: string): AnswerPart[] {
    return this.take(piece, false);
  }

  /** The rest, when nothing more comes. */
  finish(): AnswerPart[] {
    return this.take("", true);
  }

  private take(piece: string, final: boolean): AnswerPart[] {
    const text = this.pending + piece;
    this.pending = "";
    const parts: AnswerPart[] = [];
    let shown = "";
    for (let position = 0; position < text.length;) {
      const next = this.next(text, position, final);
      if (next === undefined) {
        this.pending = text.slice(position);
        break;
      }
      position += next.length;
      shown += next.text;
      this.follow(next.text);
      for (const citation of next.citations ?? []) {
        if (shown !== "") parts.push({ text: shown });
        shown = "";
        parts.push({ citation });
        this.follow("[");
      }
    }
    if (shown !== "") parts.push({ text: shown });
    return parts;
  }

  /** What to show of the text from `start` on, and the characters that it stands for; undefined while that can't be said. */
  private next(
    text: string,
    start: number,
    final: boolean,
  ): { text: string; length: number; citations?: number[] } | undefined {
    const ticks = at(TICKS, text, start);
    if (ticks !== "") {
      if (start + ticks.length === text.length && ticks.length < LONGEST_RUN && !final) return undefined;
      this.meetTicks(ticks);
      return { text: ticks, length: ticks.length };
    }
    if (
      text[start] === "~" &&
      !final &&
      text.length - start < 3 &&
      text.slice(start) === "~~".slice(0, text.length - start)
    ) {
      return undefined;
    }
    // Code between single ticks ends with its paragraph at the latest.
    if (text[start] === "\n" && (this.code.length === 1 || this.code.length === 2) && this.lineIsBlank) this.code = "";
    const plain = at(this.code === "" ? PLAIN : CODE, text, start);
    if (plain !== "") return { text: plain, length: plain.length };
    if (this.code !== "") return { text: text.charAt(start), length: 1 };
    const blanks = at(BLANKS, text, start);
    if (blanks.length === LONGEST_RUN) return { text: blanks.charAt(0), length: 1 };
    const opening = start + blanks.length;
    if (opening === text.length) return final ? { text: blanks, length: blanks.length } : undefined;
    const window = text.slice(opening, opening + LONGEST_MARK);
    const mark = MARK.exec(window);
    if (mark) {
      const citations = this.sortOut(mark[1] ?? "");
      return { text: citations.length > 0 ? blanks : "", length: blanks.length + mark[0].length, citations };
    }
    if (!final && window.length < LONGEST_MARK && UNFINISHED.test(window)) return undefined;
    return blanks === "" ? { text: text.charAt(start), length: 1 } : { text: blanks, length: blanks.length };
  }

  private meetTicks(run: string): void {
    if (this.code === "") {
      if (run.startsWith("`") || this.lineMayOpenFence) this.code = run;
    } else if (
      run[0] === this.code[0] &&
      (run.length === this.code.length || (run.length > this.code.length && this.code.length >= 3))
    ) {
      this.code = "";
    }
  }

  /** Keeps what must be known of the line so far. */
  private follow(shown: string): void {
    if (shown === "") return;
    const newline = shown.lastIndexOf("\n");
    const line = shown.slice(newline + 1);
    this.lineIsBlank = (newline >= 0 || this.lineIsBlank) && line.trim() === "";
    this.lineMayOpenFence = (newline >= 0 || this.lineMayOpenFence) && !/[^ \t>*-]/.test(line);
  }

  private sortOut(numbers: string): number[] {
    const kept = new Set<number>();
    for (const [, first = "", last] of numbers.normalize("NFKC").matchAll(RANGE)) {
      for (let number = Number(first); number <= Math.max(Number(first), Number(last ?? first)); number += 1) {
        if (this.given.has(number)) kept.add(number);
        else this.removed += 1;
      }
    }
    for (const number of kept) if (!this.cited.includes(number)) this.cited.push(number);
    return [...kept];
  }
}

/** Parts as text again. */
export function textOf(parts: readonly AnswerPart[]): string {
  return parts.map((part) => ("text" in part ? part.text : `[${part.citation}]`)).join("");
}

/** The numbers that a finished answer cites. */
export function citedIn(text: string): number[] {
  const numbers = new Set([...text.matchAll(/[[【［]\s*(\d{1,3})\s*[\]】］]/g)].map(([, number]) => Number(number)));
  const filter = new CitationFilter(numbers);
  filter.feed(text);
  filter.finish();
  return filter.cited;
}

/** A text without anything that looks like a citation mark, for where its numbers would mean other passages. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, "");
}

function at(pattern: RegExp, text: string, start: number): string {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0] ?? "";
}
