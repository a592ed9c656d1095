/** A question to `@rag`: its answer as it streams, each citation a link to its place. */

import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";

import { CitationFilter, type AnswerPart } from "../../core/answer/citationMarks";
import { followups } from "../../core/answer/followups";
import type { ChosenWriter, FinishedAnswer, AnswerService } from "../../core/answer/types";
import type { Citation, QueryAnswer } from "../../core/api/types";
import { SafeMarkdown, escapeMarkdown, excerpt, withoutMarks } from "../../core/common/safeMarkdown";
import { withoutRepeats } from "../../protocol/leftOut";
import { noModelText } from "../../protocol/noModel";
import { moreLikeIt, picturesOf } from "../../protocol/pictures";
import type { AskOptions } from "../../protocol/session";
import { readMetadata, type AnswerMetadata } from "./metadata";
import { readReferences } from "./references";
import { askOptions, ownHistory, promptText } from "./requests";
import type { ChatResponse } from "./response";

const MOST_UNSUPPORTED = 3;
const MOST_DIAGRAMS = 2;
const LONGEST_QUOTE = 160;
const LONGEST_KEPT = 4_000;

export async function answerCommand(
  answerService: AnswerService,
  writer: ChosenWriter,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  response: ChatResponse,
  signal: AbortSignal,
): Promise<AnswerMetadata> {
  const text = promptText(request);
  const { attachments, notices } = await readReferences(request.references);
  const options = askOptions();
  const question = { text, history: ownHistory(context), attachments, options };
  response.progress(l10n.t("Searching your documents"));
  const shown = new ShownAnswer(response);
  for await (const event of answerService.answer(question, writer, signal)) {
    switch (event.type) {
      case "retrieval":
        response.progress(l10n.t("Reading {0} passages", event.retrieval.citations.length));
        shown.begin(event.retrieval);
        break;
      case "delta":
        shown.add(event.text);
        break;
      case "restart":
        response.markdown("\n\n---\n\n");
        break;
      case "done":
        return {
          ...shown.end(event.answer, notices, text, options),
          ...sayNoModel(event.answer, context, response),
        };
    }
  }
  throw new Error("An answer ended without its last event.");
}

/** That no language model wrote, once a conversation, with the way to one. */
function sayNoModel(
  { by }: FinishedAnswer,
  context: vscode.ChatContext,
  response: ChatResponse,
): Pick<AnswerMetadata, "saidNoModel"> {
  if (by.kind !== "passages" || !by.noModel) return {};
  const isSaid = context.history.some(
    (turn) => "result" in turn && readMetadata(turn.result.metadata)?.saidNoModel === true,
  );
  if (isSaid) return {};
  response.notice(noModelText());
  response.button(l10n.t("Add a Model…"), "ragAssistant.addModel");
  return { saidNoModel: true };
}

class ShownAnswer {
  private retrieval: QueryAnswer | undefined;
  private byId = new Map<number, Citation>();
  private marks = new CitationFilter([]);
  private readonly safe = new SafeMarkdown();

  constructor(private readonly response: ChatResponse) {}

  begin(retrieval: QueryAnswer): void {
    this.retrieval = retrieval;
    this.byId = new Map(retrieval.citations.map((citation) => [citation.id, citation]));
    this.marks = new CitationFilter(this.byId.keys());
  }

  add(text: string): void {
    this.show(this.marks.feed(text));
  }

  end(answer: FinishedAnswer, notices: string[], question: string, options: AskOptions): AnswerMetadata {
    this.show(this.marks.finish());
    this.write(this.safe.finish());
    const cited = this.marks.cited.flatMap((id) => this.byId.get(id) ?? []);
    this.listCited(cited);
    const live = this.retrieval?.effective.live;
    for (const notice of [...withoutRepeats(answer.notices, live), ...notices]) this.response.notice(notice);
    this.response.leftOut(live);
    if (this.retrieval) this.response.emptyScope(options, this.retrieval);
    const doubtful = answer.support.filter(({ supported }) => !supported);
    if (doubtful.length > 0) this.response.notice(unsupported(doubtful.map((sentence) => sentence.text)));
    return {
      question,
      collection: options.collection ?? "",
      answer: answer.text.slice(0, LONGEST_KEPT),
      traceId: this.retrieval?.trace_id ?? "",
      chunkIds: (cited.length > 0 ? cited : answer.citations).flatMap(
        ({ chunk_id, chunk_ids }) => chunk_ids ?? [chunk_id],
      ),
      followups: this.retrieval ? followups(question, this.retrieval, this.marks.cited, answer.found) : [],
    };
  }

  private show(parts: AnswerPart[]): void {
    let text = "";
    for (const part of parts) {
      if ("text" in part) {
        text += this.safe.feed(part.text);
        continue;
      }
      this.write(text + this.safe.finish());
      text = "";
      const citation = this.byId.get(part.citation);
      if (citation) this.response.mark(citation);
    }
    this.write(text);
  }

  private write(text: string): void {
    if (text !== "") this.response.markdown(text);
  }

  /** What a mark in the text does not say by itself: the names behind bare numbers, and pictures. */
  private listCited(cited: Citation[]): void {
    const { response } = this;
    for (const citation of cited) response.reference(citation);
    this.draw(cited);
    const pictures = picturesOf(cited);
    const listed = cited.filter(
      (citation) => !response.namesItself(citation) || pictures.some((picture) => picture.citation === citation),
    );
    if (listed.length === 0) return;
    response.markdown(`\n\n**${escapeMarkdown(l10n.t("Sources"))}**\n\n`);
    for (const citation of listed) {
      response.markdown(`- \\[${citation.id}\\] `);
      response.place(citation);
      for (const { image, more } of pictures.filter((picture) => picture.citation === citation)) {
        const label = l10n.t("picture: {0}", excerpt(image.caption ?? image.text ?? image.asset_id, LONGEST_QUOTE / 2));
        response.markdown(` · ${response.link(citation, escapeMarkdown(label))} ${moreLikeIt(more)}`.trimEnd());
      }
      response.markdown("\n");
    }
  }

  /** Drawings that were made of the passages' diagrams. A label in them has no sign that could end the block. */
  private draw(cited: Citation[]): void {
    const drawings = new Set(cited.flatMap(({ mermaid }) => mermaid ?? []));
    for (const mermaid of [...drawings].slice(0, MOST_DIAGRAMS)) {
      this.response.markdown(`\n\n\`\`\`mermaid\n${mermaid}\n\`\`\`\n`);
    }
  }
}

function unsupported(sentences: string[]): string {
  const quoted = sentences.slice(0, MOST_UNSUPPORTED).map((text) => `“${excerpt(withoutMarks(text), LONGEST_QUOTE)}”`);
  const more = sentences.length - quoted.length;
  const message = l10n.t("The passages do not bear this out: {0}", quoted.join(" "));
  return more > 0 ? `${message} ${l10n.t("The same goes for {0} more sentences.", more)}` : message;
}
