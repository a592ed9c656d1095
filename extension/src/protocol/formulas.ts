/** Formulas in Markdown: where they stand, and what they may ask for. The webviews and the export draw the same ones. */

import type MarkdownIt from "markdown-it";

const LONGEST = 2000;
const DELIMITERS = [
  { open: "$$", close: "$$" },
  { open: "\\[", close: "\\]" },
  { open: "\\(", close: "\\)" },
  { open: "$", close: "$" },
] as const;
/** What a formula may ask for: macros that grow, and sizes in em. */
export const BOUNDS = { maxExpand: 200, maxSize: 20 };

/** `$x$`, `$$x$$`, `\(x\)` and `\[x\]` become `.math` with the formula as its text, for `drawMath`. */
export function mathMarks(markdown: InstanceType<typeof MarkdownIt>): void {
  markdown.inline.ruler.before("escape", "math", (state, silent) => {
    const found = formulaAt(state.src, state.pos);
    if (found === undefined) return false;
    if (!silent) {
      const token = state.push("math", "", 0);
      token.content = found.formula;
      token.markup = found.mark;
    }
    state.pos = found.end;
    return true;
  });
  markdown.renderer.rules["math"] = (tokens, index) => {
    const token = tokens[index];
    const isBlock = token?.markup === "$$" || token?.markup === "\\[";
    const name = isBlock ? "math display" : "math";
    return `<span class="${name}">${markdown.utils.escapeHtml(token?.content ?? "")}</span>`;
  };
}

function formulaAt(text: string, start: number): { formula: string; end: number; mark: string } | undefined {
  const mark = DELIMITERS.find(({ open }) => text.startsWith(open, start));
  if (mark === undefined) return undefined;
  const from = start + mark.open.length;
  const close = text.indexOf(mark.close, from);
  const formula = text.slice(from, close);
  if (close < 0 || close - from > LONGEST || formula.trim() === "") return undefined;
  const end = close + mark.close.length;
  // Sums of money and variables of a shell have dollar signs, too.
  const isPrice = /[\p{L}\p{N}$\\]/u.test(text.charAt(start - 1)) || /[\p{L}\p{N}$]/u.test(text.charAt(end));
  if (mark.open === "$" && (isPrice || /^\s|\s$|\n/.test(formula))) return undefined;
  // Brackets are escaped in plain words, too.
  if (mark.open.startsWith("\\") && !/[\\^_=+{}<>]/.test(formula)) return undefined;
  return { formula: formula.trim(), end, mark: mark.open };
}
