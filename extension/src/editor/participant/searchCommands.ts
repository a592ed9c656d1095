/** `/search`: the passages themselves; `/explain`: why it is these. */

import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";

import { explanation } from "../../core/answer/explanation";
import { followups } from "../../core/answer/followups";
import { searchRequest } from "../../core/answer/searchRequest";
import { FORMATS } from "../../core/api/formats.gen";
import type { Citation, QueryAnswer } from "../../core/api/types";
import { codeExcerpt, escapeMarkdown, excerpt } from "../../core/common/safeMarkdown";
import type { DaemonService } from "../../core/daemon/status";
import { whileItAnswers } from "../../core/daemon/watch";
import { withoutRepeats } from "../../protocol/leftOut";
import { citationLabel } from "../../protocol/places";
import type { AnswerMetadata } from "./metadata";
import { askOptions, lastQuestion, ownHistory, promptText } from "./requests";
import type { ChatResponse } from "./response";

const EXCERPT = 400;
const CODE_LINES = 16;

export async function searchCommand(
  daemon: DaemonService,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  response: ChatResponse,
  signal: AbortSignal,
): Promise<AnswerMetadata | undefined> {
  const found = await search(daemon, request, context, response, signal);
  if (!found) return undefined;
  const { retrieval, question, collection } = found;
  for (const citation of retrieval.citations) showPassage(citation, response);
  const { live } = retrieval.effective;
  for (const warning of withoutRepeats(retrieval.warnings, live)) response.notice(warning);
  response.leftOut(live);
  return metadata(question, collection, retrieval);
}

export async function explainCommand(
  daemon: DaemonService,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  response: ChatResponse,
  signal: AbortSignal,
): Promise<AnswerMetadata | undefined> {
  const found = await search(daemon, request, context, response, signal);
  if (!found) return undefined;
  const { retrieval, question, collection } = found;
  const link = (citation: Citation) => response.link(citation, escapeMarkdown(citationLabel(citation)));
  response.markdown(`${explanation(retrieval, link)}\n`);
  return metadata(question, collection, retrieval);
}

async function search(
  daemon: DaemonService,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  response: ChatResponse,
  signal: AbortSignal,
): Promise<{ retrieval: QueryAnswer; question: string; collection: string } | undefined> {
  const asked = promptText(request);
  const question = asked === "" ? lastQuestion(context) : asked;
  if (question === "") {
    response.markdown(l10n.t("Write what to look for behind the command, such as a question or a name."));
    return undefined;
  }
  const client = await daemon.client();
  response.progress(l10n.t("Searching your documents"));
  const options = askOptions();
  // A question that is repeated stands in the history itself.
  const history = asked === "" ? [] : ownHistory(context);
  const query = searchRequest(question, options, history);
  const retrieval = await whileItAnswers(daemon, signal, (own) => client.query(query, own));
  if (retrieval.citations.length === 0) {
    response.markdown(l10n.t("Nothing was found."));
    response.emptyScope(options, retrieval);
  } else if (!retrieval.found) {
    response.markdown(`${l10n.t("Nothing was found that clearly answers this. These passages come closest:")}\n\n`);
  }
  return { retrieval, question, collection: options.collection ?? "" };
}

function showPassage(citation: Citation, response: ChatResponse): void {
  response.markdown(`\n\n**\\[${citation.id}\\]** `);
  response.place(citation);
  const headings = citation.section_path.map(escapeMarkdown).join(" › ");
  response.markdown(`${headings === "" ? "" : `  \n${headings}`}\n\n${beginning(citation)}\n\n`);
  response.reference(citation);
}

/** Of code its lines as they are; of anything else a line of text. */
function beginning({ content, doc_type }: Citation): string {
  const isCode = FORMATS[doc_type].shape === "code" || /^ {0,3}(```|~~~)/m.test(content);
  return isCode ? codeExcerpt(content, CODE_LINES) : `> ${escapeMarkdown(excerpt(content, EXCERPT))}`;
}

function metadata(question: string, collection: string, retrieval: QueryAnswer): AnswerMetadata {
  const all = retrieval.citations.map(({ id }) => id);
  return {
    question,
    collection,
    answer: "",
    traceId: retrieval.trace_id,
    chunkIds: retrieval.citations.flatMap(({ chunk_id, chunk_ids }) => chunk_ids ?? [chunk_id]),
    followups: followups(question, retrieval, all, true).filter((next) => next.command !== "explain"),
  };
}
