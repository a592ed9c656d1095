/** Maths as MathML, which the browser draws by itself: no fonts or styles to load. KaTeX is loaded with the first formula. */

import DOMPurify from "dompurify";
import type MarkdownIt from "markdown-it";

const LONGEST = 2000;
/** What a formula may ask for: macros that grow, and sizes in em. */
const BOUNDS = { maxExpand: 200, maxSize: 20 };

const DELIMITERS = [
  { open: "$$", close: "$$" },
  { open: "\\[", close: "\\]" },
  { open: "\\(", close: "\\)" },
  { open: "$", close: "$" },
] as const;

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

/** Draws the formulas of rendered Markdown. One that KaTeX does not understand stays as it was written. */
export function drawMath(root: ParentNode): void {
  const places = [...root.querySelectorAll<HTMLElement>(".math")];
  if (places.length > 0) void draw(places);
}

async function draw(places: readonly HTMLElement[]): Promise<void> {
  const { default: katex } = await import("katex");
  for (const place of places) {
    const source = place.textContent;
    const displayMode = place.classList.contains("display");
    try {
      const options = { ...BOUNDS, displayMode, output: "mathml", trust: false, strict: "ignore" } as const;
      const drawn = DOMPurify.sanitize(katex.renderToString(source, options), {
        USE_PROFILES: { mathMl: true },
        RETURN_DOM_FRAGMENT: true,
      });
      // Only for programs that read TeX; a screen reader would say it after the formula.
      for (const annotation of drawn.querySelectorAll("annotation")) annotation.remove();
      place.replaceChildren(drawn);
      place.title = source;
    } catch (error) {
      place.classList.add("not-drawn");
      place.title = error instanceof Error ? error.message : String(error);
    }
  }
}
