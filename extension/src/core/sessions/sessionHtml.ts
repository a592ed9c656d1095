/**
 * A chat as one HTML page to send or keep: questions, answers, and their sources, to which the citations link. It runs nothing and
 * loads nothing, which its own policy holds it to, and follows the reader's light or dark colours.
 */

import * as l10n from "@vscode/l10n";

import type { AssistantMessage, Session } from "../../protocol/session";
import { citationLinks } from "./sessionExport";
import { citedPassages, reference } from "./sessionText";

type HtmlMarkdown = typeof import("./htmlMarkdown");

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --back: #fff; --quiet: #59636e; --line: #d1d9e0; --box: #f6f8fa; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --back: #0d1117; --quiet: #9198a1; --line: #3d444d; --box: #161b22; --link: #79b8ff; }
}
body { margin: 0 auto; padding: 2rem 1rem; max-width: 48rem; color: var(--text); background: var(--back);
  font: 1rem/1.6 system-ui, "Hiragino Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", sans-serif; overflow-wrap: break-word; }
a { color: var(--link); }
h1 { font-size: 1.6rem; line-height: 1.3; }
h2 { margin: 2rem 0 0.5rem; font-size: 0.85rem; color: var(--quiet); }
.question { padding: 0.75rem 1rem; border-radius: 0.5rem; background: var(--box); white-space: pre-wrap; }
.quiet, .sources, time { font-size: 0.875rem; color: var(--quiet); }
.notice { padding-left: 0.75rem; border-left: 3px solid var(--line); color: var(--quiet); }
.sources { padding: 0.5rem 0 0; border-top: 1px solid var(--line); list-style: none; }
.sources li:target { color: var(--text); outline: 2px solid var(--link); outline-offset: 2px; }
.citation { padding: 0 0.15em; font-size: 0.8em; text-decoration: none; vertical-align: 0.15em; }
pre { padding: 0.75rem 1rem; overflow-x: auto; border-radius: 0.5rem; background: var(--box); line-height: 1.45; }
code { font: 0.9em ui-monospace, Menlo, Consolas, monospace; }
:not(pre) > code { padding: 0.1em 0.3em; border-radius: 0.25em; background: var(--box); }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: 0.3rem 0.75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
.right { text-align: right; }
.center { text-align: center; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
math[display="block"] { margin: 1rem 0; overflow-x: auto; }
@media print { body { max-width: none; } pre { white-space: pre-wrap; } }
`.trim();

/** `language`: of the words around the chat, as HTML names it. */
export async function sessionHtml({ title, createdAt, messages }: Session, language: string): Promise<string> {
  const html = await import("./htmlMarkdown");
  const { escapeHtml } = html;
  const parts = messages.map((message, index) =>
    message.role === "user"
      ? `<section><h2>${escapeHtml(l10n.t("Question"))}</h2>\n<div class="question">${escapeHtml(message.text.trim())}</div></section>`
      : answer(message, index, html),
  );
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<time datetime="${escapeHtml(createdAt)}">${escapeHtml(createdAt.slice(0, 10))}</time>
${parts.join("\n")}
</main>
</body>
</html>
`;
}

function answer(message: AssistantMessage, index: number, { escapeHtml, htmlOf, lineHtml }: HtmlMarkdown): string {
  const notices = [...message.notices, ...(message.error ? [message.error.message] : [])];
  const sources = citedPassages(message).map(
    (citation) => `<li id="source-${index}-${citation.id}">${lineHtml(reference(citation))}</li>`,
  );
  const by = message.by && message.by.kind !== "passages" ? message.by.name : "";
  const parts = [
    `<h2>${escapeHtml(l10n.t("Answer"))}</h2>`,
    ...notices.map((notice) => `<p class="notice">${escapeHtml(notice)}</p>`),
    htmlOf(citationLinks(message, index)).trim(),
    by && `<p class="quiet">${escapeHtml(by)}</p>`,
    sources.length > 0 &&
      `<ul class="sources" aria-label="${escapeHtml(l10n.t("Sources"))}">\n${sources.join("\n")}\n</ul>`,
  ];
  return `<section>${parts.filter((part) => part).join("\n")}</section>`;
}
