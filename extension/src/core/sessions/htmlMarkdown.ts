/**
 * Markdown of models and documents as HTML for a page that is sent to others: no HTML of theirs, no pictures, links to the web
 * and to the page's own sources alone, maths as MathML. It is large, so it has a bundle of its own (dist/html.cjs), which is read
 * with the first export.
 */

import katex from "katex";
import MarkdownIt from "markdown-it";

import { BOUNDS, mathMarks } from "../../protocol/formulas";

const WEB = /^(?:https?|mailto):/i;
const ASSET = /^asset:/i;
/** Where a citation leads: to a source below its answer. */
const SOURCE = /^#source-\d+-\d+$/;
const TASK = /^\[([ xX])\]\s+/;

const CITATION: [string, string][] = [["class", "citation"]];
const AWAY: [string, string][] = [["rel", "noopener noreferrer"]];

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
const { escapeHtml } = markdown.utils;
mathMarks(markdown);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (url) => WEB.test(url.trim()) || ASSET.test(url.trim()) || SOURCE.test(url);

markdown.renderer.rules["link_open"] = (tokens, index, options, _environment, self) => {
  const token = tokens[index];
  const target = String(token?.attrGet("href") ?? "");
  // A picture of a document is in its collection, not in this page.
  if (token) token.attrs = ASSET.test(target) ? null : [["href", target], ...(SOURCE.test(target) ? CITATION : AWAY)];
  return self.renderToken(tokens, index, options);
};

// A picture from the web would tell its server who reads; its description stands instead, as a link.
markdown.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const source = String(token?.attrGet("src") ?? "");
  const text = escapeHtml(token?.content || source);
  if (!WEB.test(source)) return `<em>${text}</em>`;
  return `<a href="${escapeHtml(source)}" rel="noopener noreferrer">${text}</a>`;
};

// markdown-it writes the alignment of columns as a style.
markdown.renderer.rules["th_open"] = markdown.renderer.rules["td_open"] = (tokens, index, options, _env, self) => {
  const token = tokens[index];
  const align = /right|center/.exec(String(token?.attrGet("style") ?? ""));
  if (token) token.attrs = align ? [["class", align[0]]] : null;
  return self.renderToken(tokens, index, options);
};

markdown.renderer.rules["math"] = (tokens, index) => {
  const { content = "", markup = "" } = tokens[index] ?? {};
  const displayMode = markup === "$$" || markup === "\\[";
  try {
    const options = { ...BOUNDS, displayMode, output: "mathml", trust: false, strict: "ignore" } as const;
    // What programs read that know TeX; a screen reader would say it after the formula.
    return katex.renderToString(content, options).replace(/<annotation[^<>]*>[^<]*<\/annotation>/g, "");
  } catch {
    return `<code>${escapeHtml(content)}</code>`;
  }
};

markdown.core.ruler.push("tasks", ({ tokens }) => {
  tokens.forEach((token, index) => {
    const first = token.children?.[0];
    if (first?.type !== "text" || tokens[index - 2]?.type !== "list_item_open") return;
    first.content = first.content.replace(TASK, (_, mark: string) => (mark === " " ? "☐ " : "☑ "));
  });
});

export { escapeHtml };

/** Whole Markdown as HTML. */
export function htmlOf(text: string): string {
  return markdown.render(text);
}

/** A line of Markdown as HTML. */
export function lineHtml(text: string): string {
  return markdown.renderInline(text);
}
