/** Content as elements: Markdown without HTML of its own, with the cited lines marked and pictures from the daemon. */

import * as l10n from "@vscode/l10n";
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

import type { ContentPart, LineSpan, MergedCell } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { locate, wrap } from "../shared/sentences";
import { mergeTables } from "./mergedTables";

const WEB = /^(?:https?|mailto):/i;
const ASSET = /^asset:\/\/([\w-]+)$/;
const BLOCKS = new Set(["paragraph_open", "heading_open", "tr_open", "fence", "code_block", "hr"]);

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
// Markdown that a person wrote flows: the end of a line is no more than a space, and between Japanese or Chinese not even that.
const flowing = { ...markdown.options, breaks: false };
const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uffef]";
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, "u");
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, "u");
// What was printed or recognised on a page has no emphasis of ours: its signs are its own.
const PRINTED = ["emphasis", "strikethrough", "escape", "backticks", "entity", "html_inline", "line_break"];
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (url) => WEB.test(url.trim()) || ASSET.test(url);
// A cell of a table has its lines on one: it is the only HTML that loaders write.
markdown.inline.ruler.before("html_inline", "line_break", (state, silent) => {
  const found = /^<br ?\/?>/i.exec(state.src.slice(state.pos, state.pos + 6));
  if (!found) return false;
  if (!silent) state.push("hardbreak", "br", 0);
  state.pos += found[0].length;
  return true;
});
// Pictures come from the daemon when they are seen; one from elsewhere is not loaded, its description stands for it.
markdown.renderer.rules["image"] = (tokens, index) => {
  const id = ASSET.exec(String(tokens[index]?.attrGet("src") ?? ""))?.[1] ?? "";
  const text = markdown.utils.escapeHtml(tokens[index]?.content ?? "");
  return `<span class="picture" data-asset="${id}">${text}</span>`;
};

const ALLOWED = {
  ALLOWED_TAGS: [
    ..."a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong".split(" "),
    ..."table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["href", "class", "start", "data-asset", "data-line", "rowspan", "colspan"],
  ALLOWED_URI_REGEXP: WEB,
  // Else these numbers are held against the addresses.
  ADD_URI_SAFE_ATTR: ["start", "rowspan", "colspan"],
  RETURN_DOM_FRAGMENT: true as const,
};

/**
 * `place` heads the passage, as in "Slide 4". Pictures are left as `.picture[data-asset]`, for their loader. Of what was `read` in
 * another format each line is a line; what was `printed` keeps its signs, too: `a_b` and `*` are no emphasis.
 */
export function renderContent(
  part: ContentPart,
  place: string,
  kind: "markdown" | "read" | "printed" = "read",
): DocumentFragment {
  if (kind === "printed") markdown.disable(PRINTED);
  const tokens = parsed(part.text, part.start, part.merged);
  markdown.enable(PRINTED);
  if (kind === "markdown") joinLines(tokens);
  markLines(tokens, part.lines);
  const fragment = DOMPurify.sanitize(
    markdown.renderer.render(tokens, kind === "markdown" ? flowing : markdown.options, {}),
    ALLOWED,
  );
  joinTables(fragment);
  for (const table of fragment.querySelectorAll("table")) {
    for (const cell of table.querySelectorAll("th"))
      if (cell.textContent === "" && !cell.firstElementChild) plain(cell);
    const scroller = h("div", { class: "table", tabindex: 0, role: "group", "aria-label": l10n.t("Table") });
    table.replaceWith(scroller);
    scroller.append(table);
  }
  headPassage(fragment, place);
  return fragment;
}

/** Where the lines of a text begin. */
export function lineStarts(text: string): number[] {
  const lines = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.push(at + 1);
  return lines;
}

/** Markdown that begins at a character of the content, with what is merged in the content's tables. */
function parsed(text: string, start: number, merged: readonly MergedCell[]): ReturnType<typeof markdown.parse> {
  const tokens = markdown.parse(text, {});
  if (merged.length === 0) return tokens;
  const lines = lineStarts(text);
  const byOffset = new Map<number, MergedCell[]>();
  for (const cell of merged) {
    const row = byOffset.get(cell.offset);
    if (row) row.push(cell);
    else byOffset.set(cell.offset, [cell]);
  }
  return mergeTables(
    tokens,
    (line) => byOffset.get(start + (lines[line] ?? -1)) ?? [],
    (said) => markdown.parseInline(said, {}),
  );
}

/** Takes the ends of lines away that stand between characters of a script that has no blanks. */
function joinLines(tokens: ReturnType<typeof markdown.parse>): void {
  for (const { children } of tokens) {
    let before = "";
    let lineEnd: (typeof tokens)[number] | undefined;
    for (const token of children ?? []) {
      if (token.type === "softbreak") lineEnd = token;
      if (token.content === "") continue;
      if (lineEnd && ENDS_UNSPACED.test(before) && BEGINS_UNSPACED.test(token.content)) lineEnd.type = "text";
      lineEnd = undefined;
      before = token.content;
    }
  }
}

/** The blocks of content as text, each with the character at which its line begins: what is shown, without pictures. */
export function textBlocks(
  text: string,
  start = 0,
  merged: readonly MergedCell[] = [],
): { offset: number; text: string }[] {
  const lines = lineStarts(text);
  const found: { offset: number; text: string }[] = [];
  let line = 0;
  let head: { offset: number; text: string }[] | undefined;
  let headBefore = "";
  for (const token of parsed(text, start, merged)) {
    line = token.map?.[0] ?? line;
    const offset = lines[line] ?? 0;
    if (token.level === 0 && token.type !== "table_open" && token.type !== "table_close") headBefore = "";
    if (token.type === "thead_open") head = [];
    else if (token.type === "thead_close" && head) {
      // The heading row of a sheet's next piece is not shown again (see `joinTables`).
      const said = head.map((cell) => cell.text).join("\t");
      if (said !== headBefore) found.push(...head);
      headBefore = said;
      head = undefined;
    } else if (token.type === "inline") (head ?? found).push({ offset, text: inlineText(token.children ?? []) });
    else if (token.type === "fence" || token.type === "code_block") found.push({ offset, text: token.content });
  }
  return found;
}

function inlineText(tokens: ReturnType<typeof markdown.parse>): string {
  return tokens
    .map(({ type, content }) => (type === "softbreak" || type === "hardbreak" ? "\n" : type === "image" ? "" : content))
    .join("");
}

/** Marks sentences within the passage. */
export function markSentences(root: ParentNode, sentences: readonly string[]): void {
  const passage = [...root.querySelectorAll(".passage")];
  for (const sentence of sentences) {
    const range = locate(passage, sentence, ".passage-label");
    if (range) wrap(range, () => h("mark", { class: "sentence" }), ".passage-label");
  }
}

function markLines(tokens: ReturnType<typeof markdown.parse>, lines: readonly LineSpan[]): void {
  const items: typeof tokens = [];
  let inHead = false;
  for (const token of tokens) {
    if (token.type === "list_item_open") items.push(token);
    else if (token.type === "list_item_close") items.pop();
    else if (token.type === "thead_open" || token.type === "thead_close") inHead = token.nesting === 1;
    // By it a heading is found again; what the reader goes to begins in the line.
    if (token.map && token.nesting === 1 && !token.hidden) token.attrSet("data-line", String(token.map[0]));
    if (!BLOCKS.has(token.type) || inHead || !token.map || !isMarked(token.map, lines)) continue;
    // The paragraph of an item of a tight list is not drawn; the item is.
    (token.hidden ? (items.at(-1) ?? token) : token).attrJoin("class", "passage");
  }
}

function isMarked([start, end]: [number, number], lines: readonly LineSpan[]): boolean {
  return lines.some(([first, last]) => start < last && end > first);
}

/** A sheet is read in pieces, each with the heading row again: shown, it is one table. */
function joinTables(root: DocumentFragment): void {
  for (const table of [...root.querySelectorAll("table")]) {
    const before = table.previousElementSibling;
    if (!(before instanceof HTMLTableElement) || headOf(before) !== headOf(table)) continue;
    before.tBodies[0]?.append(...(table.tBodies[0]?.rows ?? []));
    table.remove();
  }
}

/** Makes a cell of a header that says nothing a cell like others: a header without a name names nothing. */
function plain(header: HTMLTableCellElement): void {
  const cell = h("td");
  for (const { name, value } of [...header.attributes]) cell.setAttribute(name, value);
  header.replaceWith(cell);
}

function headOf(table: HTMLTableElement): string {
  return [...(table.tHead?.querySelectorAll("th, td") ?? [])].map((cell) => cell.textContent).join("\t");
}

function headPassage(root: DocumentFragment, place: string): void {
  const first = root.querySelector(".passage");
  if (!first) return;
  let block: Element = first;
  while (block.parentElement) block = block.parentElement;
  const label = place === "" ? l10n.t("Cited passage") : l10n.t("Cited passage: {0}", place);
  block.before(h("p", { class: "passage-label" }, label));
}
