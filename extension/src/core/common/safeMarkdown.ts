/**
 * Markdown of others as it streams, without what could act: no links but to the web and within, no pictures.
 *
 * A link to a command, a file or a program becomes a link to nowhere; a picture becomes a link to it, or, if it is one of a
 * document, as passages name it, its description. The look ahead is bounded, and however the text is cut, the result is the same.
 */

const LONGEST_TARGET = 1_000;
const LONGEST_LINE = 300;
const DEEPEST = 3;
const LONGEST_FENCE_LINE = 200;
const PLAIN = /[^!\]<\n]+/y;
const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;
const MAY_OPEN_FENCE = /^ {0,3}(?:$|`|~)/;
const TARGET = /^\](?:\(|:)\s*(?:<([^<>\n]*)>|([^\s()<>]+))?/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const ASSET = /^\(\s*<?asset:(?:\/\/)?[\w-]+>?\s*(?:"[^"]*"|'[^']*')?\s*\)$/i;
const AUTOLINK = /^<([a-z][a-z0-9+.-]{1,31}):/i;
const MAY_BE_AUTOLINK = /^<[a-z0-9+.-]{0,32}$/i;
const ALLOWED = new Set(["http:", "https:", "mailto:"]);
const IN_CODE_TOO = new Set(["command", "vscode", "vscode-insiders", "file", "javascript", "data"]);

export class SafeMarkdown {
  private pending = "";
  private lineStart = true;
  private fence = "";

  /** What is decided by now, of all that came. */
  feed(piece: string): string {
    return this.take(piece, false);
  }

  finish(): string {
    return this.take("", true);
  }

  private take(piece: string, final: boolean): string {
    const text = this.pending + piece;
    this.pending = "";
    let shown = "";
    for (let position = 0; position < text.length;) {
      const next = this.next(text, position, final);
      if (next === undefined) {
        this.pending = text.slice(position);
        break;
      }
      shown += next[0];
      this.lineStart = text[position + next[1] - 1] === "\n";
      position += next[1];
    }
    return shown;
  }

  /** What to show, and the characters that it stands for; undefined while that can't be said. */
  private next(text: string, start: number, final: boolean): [shown: string, length: number] | undefined {
    if (this.lineStart) {
      const end = text.indexOf("\n", start);
      const line = text.slice(start, end < 0 ? start + LONGEST_FENCE_LINE : Math.min(end, start + LONGEST_FENCE_LINE));
      if (MAY_OPEN_FENCE.test(line)) {
        if (end < 0 && !final && line.length < LONGEST_FENCE_LINE) return undefined;
        if (this.meetFence(line)) return [line, line.length];
      }
    }
    PLAIN.lastIndex = start;
    const plain = PLAIN.exec(text)?.[0];
    if (plain !== undefined) return [plain, plain.length];
    const window = text.slice(start, start + LONGEST_TARGET);
    const complete = final || window.length === LONGEST_TARGET;
    switch (text[start]) {
      case "!":
        if (window.length === 1 && !final) return undefined;
        return window[1] === "[" && this.fence === "" ? picture(window, complete) : ["!", 1];
      case "]":
        return bracket(window, complete);
      case "<":
        return this.angle(window, final);
      case undefined:
      default:
        return [text.charAt(start), 1];
    }
  }

  private angle(window: string, final: boolean): [string, number] | undefined {
    if (!final && MAY_BE_AUTOLINK.test(window)) return undefined;
    const scheme = AUTOLINK.exec(window)?.[1]?.toLowerCase();
    const harmless = scheme === undefined || (this.fence === "" ? ALLOWED.has(`${scheme}:`) : !IN_CODE_TOO.has(scheme));
    return [harmless ? "<" : "&lt;", 1];
  }

  /** Whether the line opens or closes a fenced block of code. */
  private meetFence(line: string): boolean {
    const [, ticks = "", info = ""] = FENCE.exec(line) ?? [];
    if (ticks === "") return false;
    if (this.fence === "") {
      if (ticks.startsWith("`") && info.includes("`")) return false;
      this.fence = ticks;
    } else if (ticks[0] === this.fence[0] && ticks.length >= this.fence.length && info.trim() === "") {
      this.fence = "";
    }
    // A label behind the ticks is shown, so what it holds is looked at like any other text.
    return !/[!\]<]/.test(info);
  }
}

/** A picture, which begins with `![`: the description of one that a document shows, else what makes it a link. */
function picture(window: string, complete: boolean): [string, number] | undefined {
  const link: [string, number] = ["", 1];
  const close = closingBracket(window);
  if (close === undefined) return complete ? link : undefined;
  if (close < 0) return link;
  const rest = window.slice(close + 1);
  if (rest !== "" && !rest.startsWith("(")) return link;
  const end = rest.search(/[)\n]/);
  if (end < 0) return complete ? link : undefined;
  if (!ASSET.test(rest.slice(0, end + 1))) return link;
  const description = window.slice(2, close).replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return [escapeMarkdown(description), close + 1 + end + 1];
}

/** Where the text of `![…]` ends, which may hold pairs of brackets; -1 if it is no such text; undefined while that can't be said. */
function closingBracket(window: string): number | undefined {
  let depth = 0;
  for (let position = 1; position < window.length; position += 1) {
    const character = window[position];
    if (character === "\n") return -1;
    if (character === "\\") position += 1;
    else if (character === "[" && (depth += 1) > DEEPEST) return -1;
    else if (character === "]" && (depth -= 1) === 0) return position;
  }
  return undefined;
}

function bracket(window: string, complete: boolean): [string, number] | undefined {
  if (window.length === 1 && !complete) return undefined;
  if (window[1] !== "(" && window[1] !== ":") return ["]", 1];
  const [whole = "", quoted, bare] = TARGET.exec(window) ?? [];
  if (!complete && (whole.length === window.length || /^\](?:\(|:)\s*<[^<>\n]*$/.test(window))) return undefined;
  const target = quoted ?? bare ?? "";
  const tooLong = whole.length === LONGEST_TARGET;
  return [isHarmless(target) && !tooLong ? whole : `${window.slice(0, 2)}#`, whole.length];
}

function isHarmless(target: string): boolean {
  const scheme = SCHEME.exec(target)?.[0].toLowerCase();
  if (scheme !== undefined) return ALLOWED.has(scheme);
  const head = target.split(/[/?#]/, 1)[0] ?? "";
  // Written in another way, a scheme may hide in what looks like a path.
  return !target.startsWith("//") && !/[&%\\:]/.test(head);
}

/** Text as it is, whatever of it Markdown would read as a sign; on one line. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]()#+\-.!|<>~&$^=:]/g, "\\$&");
}

/** Lines of text as Markdown that shows them as they are. Its blanks may break, as those of `MarkdownString.appendText` may not. */
export function textLines(lines: readonly string[]): string {
  return lines.map(escapeMarkdown).join("\n\n");
}

/** A sentence of Markdown as it is read: without emphasis, code's ticks, citation marks, and the addresses of links. */
export function withoutMarks(text: string): string {
  return text
    .replace(/\s?\[\d{1,3}\]/g, "")
    .replace(/\[([^[\]]{1,300})\]\([^()\s]{0,2000}\)/g, "$1")
    .replace(/\*\*|__|~~|`/g, "")
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, "");
}

/** The beginning of code, in lines as they are, fenced so that nothing in it ends the fence. */
export function codeExcerpt(text: string, lines: number, language = ""): string {
  const all = text.replace(/\s+$/, "").split("\n");
  const shown = all
    .slice(0, lines)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  if (all.length > lines) shown.push("…");
  const longest = Math.max(0, ...shown.flatMap((line) => (line.match(/`+/g) ?? []).map((ticks) => ticks.length)));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${shown.join("\n")}\n${fence}`;
}

/** The beginning of a text in one line, cut at a word's end. */
export function excerpt(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length);
  const space = cut.lastIndexOf(" ");
  return `${space > length * 0.6 ? cut.slice(0, space) : cut}…`;
}
