/**
 * Splits Markdown that is still being written into blocks that are done and the one that is open.
 *
 * Every line is looked at once. A block that is done never changes again, so it is rendered once; only the open one is
 * rendered anew. To keep it small, an item of a list, a row of a table and a part of a very long paragraph are blocks
 * of their own, marked to be joined with the block before. The rules are CommonMark's, as far as they end a block.
 */

import {
  DELIMITER,
  FENCE,
  HEADING,
  INTERRUPTING_ITEM,
  ITEM,
  RULE,
  UNCLEAR,
  UNDERLINE,
  interrupts,
  isFenceEnd,
  marker,
  sentenceEnd,
} from "./markdownLines";

export type BlockKind = "text" | "item" | "table" | "code";

export interface Block {
  kind: BlockKind;
  /** Where its source begins and ends, in UTF-16 units of the whole text. */
  start: number;
  end: number;
  source: string;
  /** It goes on in the list, table, code or paragraph of the block before. */
  joins: boolean;
  /** Of a code block: the word behind the fence. The source is then the code alone. */
  language: string;
  /** Nothing more joins this code block. */
  last: boolean;
}

/** A paragraph longer than this goes on in a block of its own. */
export const LONGEST_TEXT = 3000;
/** Code comes in parts of this many lines. */
export const PART_LINES = 40;
/** Tables come in parts of this many rows; each new row lays out those of its part. */
export const PART_ROWS = 12;

interface Open {
  kind: BlockKind;
  start: number;
  lines: string[];
  length: number;
  joins: boolean;
  language: string;
  /** Code: the fence that began it and its indent. */
  fence: string;
  indent: number;
  /** Items: what continues it is indented this far, and its marker's kind. */
  marker: string;
  innerFence: string;
  blank: boolean;
  /** Tables: the heading with its rule, repeated before each part. */
  head: string;
}

export class BlockSplitter {
  private open: Open | undefined;
  private partial = "";
  private offset = 0;
  /** Kind of marker of the list that the next item may join. */
  private list = "";

  /** `offset`: where in the whole text the first piece begins. */
  constructor(offset = 0) {
    this.offset = offset;
  }

  /** Blocks that are done by this piece. */
  push(piece: string): Block[] {
    const done: Block[] = [];
    let from = 0;
    for (let end = piece.indexOf("\n"); end !== -1; end = piece.indexOf("\n", from)) {
      const line = this.partial + piece.slice(from, end);
      this.partial = "";
      this.take(line, done);
      this.offset += line.length + 1;
      from = end + 1;
    }
    this.partial += piece.slice(from);
    if (this.partial.length > LONGEST_TEXT * 2) this.cutPartial(done);
    return done;
  }

  /** The open block with the line that is being written, or nothing. */
  tail(): Block | undefined {
    const open = this.open;
    const partial = open?.kind !== "code" && UNCLEAR.test(this.partial) ? "" : this.partial;
    if (open === undefined) {
      if (partial.trim() === "") return undefined;
      const kind = ITEM.test(partial) && !RULE.test(partial) ? "item" : "text";
      return block(
        begun(kind, this.offset, kind === "item" && this.list === marker(partial)),
        partial,
        this.offset + partial.length,
      );
    }
    // Half a row would jump about; a half fence or marker would show as text.
    const hidden = open.kind === "table" || (open.kind === "code" && closes(open, partial.trimEnd()) !== undefined);
    const lines = partial === "" || hidden ? [...open.lines] : [...open.lines, this.codeLine(open, partial)];
    if (open.kind === "text" && lines.at(-1)?.trimStart().startsWith("|")) lines.pop();
    return block(open, source(open, lines), this.offset + partial.length);
  }

  /** No more comes: what is open is done. */
  finish(): Block[] {
    const done: Block[] = [];
    if (this.partial !== "") {
      const line = this.partial;
      this.partial = "";
      this.take(line, done);
      this.offset += line.length;
    }
    this.close(done);
    return done;
  }

  private take(raw: string, done: Block[]): void {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const open = this.open;
    if (open === undefined) this.begin(line, done);
    else if (open.kind === "code") this.takeCode(open, line, done);
    else if (open.kind === "item") this.takeItem(open, line, done);
    else if (open.kind === "table") this.takeRow(open, line, done);
    else this.takeText(open, line, done);
  }

  private begin(line: string, done: Block[]): void {
    if (line.trim() === "") return;
    const fence = FENCE.exec(line);
    const item = RULE.test(line) ? null : ITEM.exec(line);
    if (item === null) this.list = "";
    if (fence) {
      this.open = begun("code", this.offset, false);
      this.open.indent = fence[1]?.length ?? 0;
      this.open.fence = fence[2] ?? "";
      this.open.language = fence[3] ?? "";
      return;
    }
    this.open = begun(item ? "item" : "text", this.offset, item !== null && this.list === marker(line));
    this.add(this.open, line);
    if (item) {
      const space = item[3]?.length ?? 1;
      this.open.indent = (item[1]?.length ?? 0) + (item[2]?.length ?? 1) + (space > 4 ? 1 : space);
      this.open.marker = this.list = marker(line);
      const content = FENCE.exec(line.slice(this.open.indent));
      if (content) this.open.innerFence = content[2] ?? "";
    } else if (HEADING.test(line) || RULE.test(line)) this.close(done, line.length);
  }

  private takeCode(open: Open, line: string, done: Block[]): void {
    if (closes(open, line) === true) {
      this.close(done, line.length);
      return;
    }
    this.add(open, this.codeLine(open, line));
    if (open.lines.length < PART_LINES) return;
    const next = begun("code", this.offset + line.length + 1, true);
    Object.assign(next, { fence: open.fence, indent: open.indent, language: open.language });
    done.push(block(open, source(open, open.lines), this.offset + line.length, false));
    this.open = next;
  }

  private takeItem(open: Open, line: string, done: Block[]): void {
    const blank = line.trim() === "";
    const indent = line.length - line.trimStart().length;
    const inside = indent >= open.indent || line.startsWith("\t");
    if (open.innerFence !== "" && (inside || blank)) {
      this.add(open, line);
      if (!blank && isFenceEnd(line.trim(), open.innerFence)) open.innerFence = "";
      return;
    }
    open.innerFence = "";
    if (blank) {
      open.blank = true;
      this.add(open, line);
      return;
    }
    const starts = interrupts(line) || ITEM.test(line);
    if (!inside && (open.blank || starts)) {
      this.close(done);
      this.begin(line, done);
      return;
    }
    open.blank = false;
    const fence = inside ? FENCE.exec(line.slice(open.indent)) : null;
    if (fence) open.innerFence = fence[2] ?? "";
    this.add(open, line);
  }

  private takeRow(open: Open, line: string, done: Block[]): void {
    if (line.trim() === "" || interrupts(line) || ITEM.test(line)) {
      this.close(done);
      this.begin(line, done);
      return;
    }
    this.add(open, line);
    if (open.lines.length < PART_ROWS) return;
    const next = begun("table", this.offset + line.length + 1, true);
    next.head = open.head;
    this.close(done, line.length);
    this.open = next;
  }

  private takeText(open: Open, line: string, done: Block[]): void {
    const quote = /^ {0,3}>/.test(open.lines[0] ?? "");
    if (line.trim() === "") {
      this.close(done);
      return;
    }
    if (!quote && open.lines.length > 0 && UNDERLINE.test(line)) {
      this.add(open, line);
      this.close(done, line.length);
      return;
    }
    const header = open.lines.at(-1) ?? "";
    if (!quote && header.includes("|") && line.includes("|") && DELIMITER.test(line)) {
      const start = this.offset - header.length - 1;
      if (open.lines.length > 1) {
        open.lines.pop();
        this.close(done);
      }
      this.open = begun("table", start, false);
      this.open.head = `${header}\n${line}`;
      return;
    }
    if (interrupts(line) || INTERRUPTING_ITEM.test(line) || (!quote && /^ {0,3}>/.test(line))) {
      this.close(done);
      this.begin(line, done);
      return;
    }
    this.add(open, line);
    if (open.length > LONGEST_TEXT) this.close(done, line.length, true);
  }

  /** A paragraph in one endless line: what is written so far becomes blocks, cut behind sentences. */
  private cutPartial(done: Block[]): void {
    const open = this.open;
    if (open !== undefined && open.kind !== "text") return;
    while (this.partial.length > LONGEST_TEXT * 2) {
      const cut = sentenceEnd(this.partial, LONGEST_TEXT);
      const head = this.partial.slice(0, cut);
      if (this.open === undefined) this.open = begun("text", this.offset, false);
      this.add(this.open, head);
      this.partial = this.partial.slice(cut);
      this.offset += cut;
      this.close(done, 0, true);
    }
  }

  private close(done: Block[], lastLine = 0, goesOn = false): void {
    const open = this.open;
    if (open === undefined) return;
    this.open = undefined;
    if (open.lines.length > 0 || open.kind === "code" || (open.kind === "table" && !open.joins)) {
      done.push(block(open, source(open, open.lines), this.offset + lastLine));
    }
    if (goesOn) this.open = begun("text", this.offset + lastLine, true);
  }

  private add(open: Open, line: string): void {
    open.lines.push(line);
    open.length += line.length + 1;
  }

  private codeLine(open: Open, line: string): string {
    if (open.kind !== "code" || open.indent === 0) return line;
    return line.replace(new RegExp(`^ {0,${open.indent}}`), "");
  }
}

function begun(kind: BlockKind, start: number, joins: boolean): Open {
  const none = { language: "", fence: "", indent: 0, marker: "", innerFence: "", blank: false, head: "" };
  return { kind, start, lines: [], length: 0, joins, ...none };
}

function block(open: Open, text: string, end: number, last = true): Block {
  return { kind: open.kind, start: open.start, end, source: text, joins: open.joins, language: open.language, last };
}

function source(open: Open, lines: string[]): string {
  return open.kind === "table" ? [open.head, ...lines].join("\n") : lines.join("\n");
}

/** `true`: ends the code. "maybe": may become its end. */
function closes(open: Open, line: string): boolean | "maybe" | undefined {
  const text = line.trim();
  if (line.length - line.trimStart().length > 3 || text === "") return undefined;
  if (isFenceEnd(text, open.fence)) return true;
  return open.fence.startsWith(text) ? "maybe" : undefined;
}
