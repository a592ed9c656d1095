/** Markdown of models and documents as elements: no HTML of theirs, no remote pictures, links to the web alone. */

import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

import { mathMarks } from "../../src/protocol/formulas";

const WEB = /^(?:https?|mailto):/i;
/** A picture of a document, as passages name it. */
const ASSET = /^asset:(?:\/\/)?([\w-]+)$/i;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
mathMarks(markdown);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (url) => WEB.test(url.trim()) || ASSET.test(url.trim());
// A picture from the web would tell its server who reads; its description stands instead, as a link.
markdown.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const source = String(token?.attrGet("src") ?? "");
  const target = markdown.utils.escapeHtml(source);
  const text = markdown.utils.escapeHtml(token?.content ?? "");
  const asset = ASSET.exec(source.trim())?.[1];
  if (asset !== undefined) return `<em data-asset="${asset}">${text}</em>`;
  return `<a href="${target}">${text === "" ? target : text}</a>`;
};

// markdown-it writes the alignment of columns as a style; no style passes the sanitiser.
markdown.renderer.rules["th_open"] = markdown.renderer.rules["td_open"] = (
  tokens,
  index,
  options,
  _environment,
  self,
) => {
  const token = tokens[index];
  const align = /right|center/.exec(String(token?.attrGet("style") ?? ""));
  if (token) token.attrs = align ? [["class", `align-${align[0]}`]] : null;
  return self.renderToken(tokens, index, options);
};

const ALLOWED = {
  ALLOWED_TAGS: [
    ..."a blockquote br code em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong".split(" "),
    ..."table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["href", "class", "start"],
  ALLOWED_URI_REGEXP: WEB,
  RETURN_DOM_FRAGMENT: true as const,
};

export function renderMarkdown(source: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(markdown.render(source), ALLOWED);
  for (const link of fragment.querySelectorAll("a")) {
    const target = link.getAttribute("href");
    // The sanitiser took its target away: it leads nowhere.
    if (target === null) link.replaceWith(...link.childNodes);
    else link.title = target;
  }
  return fragment;
}

/** Text that breaks off in the middle of emphasis, code or a link, so that it does not flicker while it is written. */
export function closeOpenMarks(source: string): string {
  const text = source.replace(/\[\d*$/, "").replace(/\[([^\]\n]*)\]\([^)\s]*$/, "$1");
  const last = text.slice(text.lastIndexOf("\n\n") + 1);
  const ticks = last.split("`").length - 1;
  if (ticks % 2 === 1) return last.endsWith("`") ? text.slice(0, -1) : `${text}\``;
  const stars = last.split("**").length - 1;
  if (stars % 2 === 0) return text;
  return last.endsWith("**") ? text.slice(0, -2) : `${text.replace(/[\s*]+$/, "")}**`;
}
