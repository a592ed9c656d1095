/** A chat as a Markdown file: questions, answers, and their sources, to which the citations link. */

import * as l10n from "@vscode/l10n";

import type { AssistantMessage, Session } from "../../protocol/session";
import { CitationFilter } from "../answer/citationMarks";
import { SafeMarkdown } from "../common/safeMarkdown";
import { citedPassages, escapeMarkdown, reference } from "./sessionText";

/** Code that Markdown is sure to read as code, else the beginning of HTML. */
const CODE_OR_HTML =
  /^ {0,3}(`{3,})[^`\n]*\n(?:[^]*?\n)?? {0,3}\1`*[ \t]*$|^ {0,3}(~{3,})[^\n]*\n(?:[^]*?\n)?? {0,3}\2~*[ \t]*$|(?<![\\`])(`+)(?!`)[^`\n]+\3(?!`)|<(?=[a-z/!?])/gim;
const MOST_NAME = 80;

export type ExportFormat = "md" | "html";

export function sessionMarkdown({ title, messages }: Session): string {
  const parts = messages.map((message, index) =>
    message.role === "user" ? `## ${l10n.t("Question")}\n\n${quoted(message.text)}` : answer(message, index),
  );
  return `${[`# ${escapeMarkdown(title)}`, ...parts].join("\n\n")}\n`;
}

/** A name that every system takes for a file. */
export function exportName(title: string, extension: ExportFormat): string {
  const name = title
    .replace(/[\\/:*?"<>|\u0000-\u001f]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^\.+|[. ]+$/g, "");
  return `${Array.from(name).slice(0, MOST_NAME).join("").trim() || "chat"}.${extension}`;
}

/** The answer's Markdown; its citations are links to `#source-<index>-<number>`. */
export function citationLinks({ text, citations }: AssistantMessage, index: number): string {
  const filter = new CitationFilter(citedPassages({ text, citations }).map(({ id }) => id));
  const parts = [...filter.feed(text), ...filter.finish()];
  return parts
    .map((part) => ("text" in part ? part.text : `[\\[${part.citation}\\]](#source-${index}-${part.citation})`))
    .join("")
    .trim();
}

function answer(message: AssistantMessage, index: number): string {
  const cited = citedPassages(message);
  const anchor = (id: number) => `source-${index}-${id}`;
  const text = citationLinks({ ...message, text: withoutActing(message.text) }, index);
  const notices = message.notices.map((notice) => `> ${escapeMarkdown(notice)}`);
  const error = message.error ? [`> ${escapeMarkdown(message.error.message)}`] : [];
  const sources = cited.map((citation) => `- <a id="${anchor(citation.id)}"></a>${reference(citation)}`);
  const list = sources.length > 0 ? [`### ${l10n.t("Sources")}`, sources.join("\n")] : [];
  return [`## ${l10n.t("Answer")}`, ...notices, ...error, text, ...list].filter((part) => part !== "").join("\n\n");
}

/** Documents and models wrote it: no pictures from elsewhere, no links but to the web, no HTML. */
function withoutActing(text: string): string {
  const safe = new SafeMarkdown();
  return (safe.feed(text) + safe.finish()).replace(CODE_OR_HTML, (found) => (found === "<" ? "&lt;" : found));
}

function quoted(text: string): string {
  return withoutActing(text.trim()).replace(/^/gm, "> ");
}
