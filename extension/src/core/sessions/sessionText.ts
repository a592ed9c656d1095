/** What is made of a conversation's text: the history of a question, an answer to copy, the passages that an answer cites. */

import * as l10n from "@vscode/l10n";

import type { AssistantMessage, Message } from "../../protocol/session";
import { CitationFilter, withoutMarks } from "../answer/citationMarks";
import type { Citation, Turn } from "../api/types";

/** The daemon takes no more. */
const MAX_TURNS = 50;
const MAX_TURN_CHARS = 20_000;
/** All turns together: a request's body may have 2 MB, and a Japanese character takes three bytes of it. */
const MAX_HISTORY_CHARS = 400_000;

/** The turns of these messages, oldest first; the oldest go when there are too many. Failed answers say nothing. */
export function historyOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  let room = MAX_HISTORY_CHARS;
  for (const message of messages.toReversed()) {
    const text = clip((message.role === "user" ? message.text : withoutMarks(message.text)).trim(), MAX_TURN_CHARS);
    room -= text.length;
    if (room < 0 || turns.length === MAX_TURNS) break;
    if (text !== "") turns.push({ role: message.role, text });
  }
  return turns.reverse();
}

/** The beginning of a text; a character that UTF-16 writes in two units is not cut in half. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** The passages that an answer refers to, in the order of their first mark. */
export function citedPassages(answer: Pick<AssistantMessage, "text" | "citations">): Citation[] {
  const filter = new CitationFilter(answer.citations.map((citation) => citation.id));
  filter.feed(answer.text);
  filter.finish();
  return filter.cited.flatMap((id) => answer.citations.find((citation) => citation.id === id) ?? []);
}

/** Of passages, each once: neighbours that were joined into one count for themselves. */
export function chunkIds(citations: readonly Citation[]): string[] {
  return [...new Set(citations.flatMap((one) => (one.chunk_ids?.length ? one.chunk_ids : [one.chunk_id])))];
}

/** An answer as Markdown that stands by itself, with the sources that it cites. */
export function answerMarkdown(answer: AssistantMessage): string {
  const references = citedPassages(answer).map((citation) => `- ${reference(citation)}`);
  const text = answer.text.trim();
  return references.length === 0 ? text : `${text}\n\n${l10n.t("Sources")}:\n\n${references.join("\n")}\n`;
}

/** "[1] Guide: docs/guide.md, page 3", as Markdown. */
export function reference(citation: Citation): string {
  const where = placeOf(citation);
  return `[${citation.id}] ${escapeMarkdown(citation.title || citation.source)}: ${linkTo(citation)}${where ? `, ${where}` : ""}`;
}

function linkTo(citation: Citation): string {
  const name = escapeMarkdown(citation.source);
  // A path of this machine says nothing to whom the answer is sent.
  if (!/^https?:/i.test(citation.source_uri)) return name;
  return `[${name}](<${citation.source_uri.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

function placeOf(citation: Citation): string {
  const { page, slide, sheet, cell_range: cells, line_range: lines } = citation;
  if (page) return l10n.t("page {0}", page);
  if (slide) return l10n.t("slide {0}", slide);
  if (sheet) return cells ? l10n.t("sheet {0}, {1}", sheet, cells) : l10n.t("sheet {0}", sheet);
  if (lines) return lines[0] === lines[1] ? l10n.t("line {0}", lines[0]) : l10n.t("lines {0}-{1}", ...lines);
  return citation.section_path.map(escapeMarkdown).join(" › ");
}

export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>]/g, "\\$&");
}
