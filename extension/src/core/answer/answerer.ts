/** Answers: the daemon's passages and prompt, words from a model of the editor, from the daemon's own, or the passages alone. */

import * as l10n from "@vscode/l10n";

import type { ChatDone, Citation, PromptAnswer, QueryAnswer } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import { throwIfCancelled, untilCancelled } from "../common/cancellation";
import { RagError, asRagError, isCancelled } from "../common/errors";
import type { DaemonService } from "../daemon/status";
import { CitationFilter, textOf } from "./citationMarks";
import { searchRequest } from "./searchRequest";
import type { AnswerEvent, AnswerService, ChosenWriter, FinishedAnswer, Question, Writer } from "./types";
import { WatchedAnswers } from "./watchedAnswers";

/** How often a prompt is asked for that the model has room for: the daemon can only estimate the model's tokens. */
const MOST_PROMPTS = 3;

/** A model that gave nothing at all, and why; another way to answer is still open. */
class NoAnswer {
  constructor(
    readonly writer: Writer,
    readonly error: RagError,
  ) {}
}

/** How long the check of an answer may take that stands already. */
const VERIFY_LIMIT_MS = 30_000;

export function createAnswerService(daemon: Pick<DaemonService, "client" | "onDidChangeStatus">): AnswerService {
  return new WatchedAnswers(new Answerer(daemon), daemon);
}

export class Answerer implements AnswerService {
  constructor(private readonly daemon: Pick<DaemonService, "client">) {}

  async *answer(question: Question, writer: ChosenWriter, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    throwIfCancelled(signal);
    const client = await this.daemon.client();
    throwIfCancelled(signal);
    if (writer === undefined || writer === "passages" || writer === "nobody") {
      yield* answerByDaemon(
        client,
        question,
        { extractive: writer !== undefined, noModel: writer === "nobody" },
        signal,
      );
      return;
    }
    const prompt = await promptFor(client, question, writer, signal);
    const failure =
      prompt instanceof NoAnswer ? prompt : yield* answerByWriter(client, question, prompt, writer, signal);
    if (failure !== undefined) yield* answerByDaemon(client, question, { instead: failure }, signal);
  }
}

/** The daemon's prompt, within the room of the model by the model's own count. Throws what the search throws. */
async function promptFor(
  client: DaemonClient,
  question: Question,
  writer: Writer,
  signal: AbortSignal,
): Promise<PromptAnswer | NoAnswer> {
  try {
    return (await fittingPrompt(client, question, writer, signal)) ?? new NoAnswer(writer, noRoom(writer));
  } catch (error) {
    throwIfCancelled(signal);
    const failure = asRagError(error, "MODEL_FAILED");
    if (isCancelled(error) || !failure.code.startsWith("MODEL_")) throw error;
    return new NoAnswer(writer, failure);
  }
}

/** The daemon only estimates the model's tokens: where its prompt is too long, or leaves out what has room, it is asked again. */
async function fittingPrompt(
  client: DaemonClient,
  { text, options, history, attachments }: Question,
  writer: Writer,
  signal: AbortSignal,
): Promise<PromptAnswer | undefined> {
  const request = { ...searchRequest(text, options, history), ...(attachments.length > 0 ? { attachments } : {}) };
  const room = writer.maxInputTokens;
  let limit = room;
  let fitting: PromptAnswer | undefined;
  for (let attempt = 1; attempt <= MOST_PROMPTS && limit >= 1; attempt += 1) {
    let prompt: PromptAnswer;
    try {
      prompt = await client.prompt({ ...request, max_tokens: limit }, signal);
    } catch (error) {
      if (!asRagError(error).details.some(({ field }) => field === "max_tokens")) throw error;
      if (attempt > 1) break;
      // The estimate counts rather too many.
      limit = 2 * room;
      continue;
    }
    const counts = await Promise.all(prompt.messages.map((message) => writer.countTokens(message.text, signal)));
    const tokens = counts.reduce((sum, count) => sum + count, 0);
    const scaled = Math.floor((room * prompt.tokens * 0.95) / Math.max(tokens, 1));
    if (tokens <= room) {
      fitting = prompt;
      if (isWhole(prompt) || scaled < 1.1 * limit) break;
    }
    limit = scaled;
  }
  return fitting;
}

/** Whether nothing was left out for want of room. Earlier turns have a limit of their own. */
function isWhole({ messages, given, citations, attachments }: PromptAnswer): boolean {
  return (
    messages.length === 0 ||
    (given.length === citations.length && attachments.every((included) => included === "whole"))
  );
}

function noRoom({ maxInputTokens }: Writer): RagError {
  return new RagError(
    "MODEL_FAILED",
    l10n.t("the question and one passage do not fit into its {0} tokens", maxInputTokens),
  );
}

/** Returns what went wrong when nothing came of it. */
async function* answerByWriter(
  client: DaemonClient,
  question: Question,
  prompt: PromptAnswer,
  writer: Writer,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, NoAnswer | undefined> {
  yield { type: "retrieval", retrieval: prompt };
  if (prompt.messages.length === 0) {
    yield { type: "delta", text: prompt.not_found };
    yield { type: "done", answer: notFound(prompt) };
    return undefined;
  }
  const filter = new CitationFilter(prompt.given);
  const notices = [...prompt.warnings, ...leftOut(question, prompt)];
  let text = "";
  let brokeOff: RagError | undefined;
  try {
    for await (const piece of untilCancelled(writer.stream(prompt.messages, signal), signal)) {
      const shown = textOf(filter.feed(piece));
      if (shown === "") continue;
      text += shown;
      yield { type: "delta", text: shown };
    }
    const rest = textOf(filter.finish());
    text += rest;
    if (rest !== "") yield { type: "delta", text: rest };
    if (text.trim() === "") throw new RagError("MODEL_FAILED", l10n.t("it gave an empty answer"));
  } catch (error) {
    throwIfCancelled(signal);
    if (isCancelled(error)) throw error;
    brokeOff = asRagError(error, "MODEL_FAILED");
    if (text.trim() === "") return new NoAnswer(writer, brokeOff);
    notices.push(l10n.t("The answer of {0} broke off and is not complete: {1}", writer.name, brokeOff.message));
  }
  const checked = await verified(client, text, prompt, signal);
  yield {
    type: "done",
    answer: {
      text: checked.answer,
      by: { kind: "editor", name: writer.name },
      found: checked.found,
      finish: brokeOff ? "cut_off" : "complete",
      citations: withHighlights(prompt.citations, checked.citations),
      support: checked.support,
      notices: [...notices, ...checked.notices],
    },
  };
  return undefined;
}

function notFound({ not_found: text, citations, warnings: notices }: PromptAnswer): FinishedAnswer {
  return { text, by: { kind: "passages" }, found: false, finish: "complete", citations, support: [], notices };
}

/** What had no room in the prompt. */
function leftOut({ attachments }: Question, prompt: PromptAnswer): string[] {
  const notices: string[] = [];
  const [given, all] = [prompt.given.length, prompt.citations.length];
  if (given < all) notices.push(l10n.t("{0} of {1} passages did not fit into the model's room.", all - given, all));
  attachments.forEach(({ name }, index) => {
    const included = prompt.attachments[index];
    if (included === "none") notices.push(l10n.t("{0} was left out: the model has no room for it.", name));
    if (included === "beginning") notices.push(l10n.t("Only the beginning of {0} fits into the model's room.", name));
  });
  const turns = prompt.turns_left_out;
  if (turns > 0) notices.push(l10n.t("Earlier messages left out, as the model has no room for them: {0}.", turns));
  return notices;
}

interface ByDaemon {
  /** No model at all, whatever the daemon has. */
  extractive?: boolean;
  /** Nobody was there to ask. */
  noModel?: boolean;
  /** The model that was to answer. */
  instead?: NoAnswer;
}

async function* answerByDaemon(
  client: DaemonClient,
  question: Question,
  by: ByDaemon,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const { extractive = false } = by;
  const request = searchRequest(question.text, question.options, question.history);
  let retrieval: QueryAnswer | undefined;
  try {
    for await (const { event, data } of client.chat({ ...request, ...(extractive ? { extractive } : {}) }, signal)) {
      if (event === "retrieval") {
        retrieval = data;
        yield { type: "retrieval", retrieval };
      } else if (event === "delta") {
        yield { type: "delta", text: data.text };
      } else if (retrieval !== undefined) {
        yield { type: "done", answer: finished(data, retrieval, question, by) };
        return;
      }
    }
  } catch (error) {
    throwIfCancelled(signal);
    if (isCancelled(error)) throw error;
    throw asRagError(error, "DAEMON_UNREACHABLE");
  }
  throwIfCancelled(signal);
  throw new RagError(
    "DAEMON_UNREACHABLE",
    l10n.t("The daemon broke off its answer."),
    l10n.t("Ask again. If it happens again, look into the log."),
  );
}

function finished(
  done: ChatDone,
  retrieval: QueryAnswer,
  question: Question,
  { noModel = false, instead }: ByDaemon,
): FinishedAnswer {
  const byPassages = done.provider === "extractive";
  const notices = [...retrieval.warnings, ...done.warnings];
  if (question.attachments.length > 0) {
    notices.unshift(l10n.t("Attached files were not used: only a model of the editor reads them."));
  }
  const why = instead === undefined ? undefined : reason(instead);
  if (why !== undefined) {
    const who = byPassages
      ? l10n.t("This answer is made of the passages themselves.")
      : l10n.t("The daemon's model {0} answered instead.", done.model);
    notices.unshift(`${why} ${who}`);
  }
  return {
    text: done.answer,
    by: byPassages
      ? { kind: "passages", ...(why ? { why } : {}), ...(noModel ? { noModel } : {}) }
      : { kind: "daemon", name: done.model || done.provider },
    found: done.found,
    // An answer that ends because the daemon does was not called off by anybody here.
    finish: done.finish === "cancelled" ? "cut_off" : done.finish,
    citations: withHighlights(retrieval.citations, done.citations),
    support: done.support,
    notices,
  };
}

function reason({ writer, error }: NoAnswer): string {
  switch (error.code) {
    case "MODEL_REFUSED":
      return l10n.t("{0} declined to answer: {1}.", writer.name, withoutStop(error.message));
    case "MODEL_QUOTA":
      return l10n.t("The quota of {0} is used up: {1}.", writer.name, withoutStop(error.message));
    case "MODEL_MISSING":
      return l10n.t("{0} is not available: {1}.", writer.name, withoutStop(error.message));
    default:
      return l10n.t("{0} failed: {1}.", writer.name, withoutStop(error.message));
  }
}

function withoutStop(text: string): string {
  return text.trim().replace(/[.。]+$/, "");
}

/** The answer as the daemon checked it. */
async function verified(
  client: DaemonClient,
  text: string,
  prompt: PromptAnswer,
  signal: AbortSignal,
): Promise<Pick<FinishedAnswer, "found" | "support" | "notices" | "citations"> & { answer: string }> {
  const cited = prompt.citations.filter(({ id }) => prompt.given.includes(id));
  const given = cited.map(({ id, chunk_id, chunk_ids }) => ({ id, chunk_ids: chunk_ids ?? [chunk_id] }));
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(VERIFY_LIMIT_MS)]);
    return { ...(await client.verify(text, given, limited)), notices: [] };
  } catch (error) {
    throwIfCancelled(signal);
    if (isCancelled(error)) throw error;
    // The answer stands; only what is said about it is missing.
    const message = l10n.t("The answer was not held against the passages: {0}", asRagError(error).message);
    return { answer: text, found: text.trim() !== prompt.not_found, support: [], citations: [], notices: [message] };
  }
}

/** All passages, those that the answer cites with the sentences that bear it out. */
function withHighlights(all: readonly Citation[], cited: readonly Citation[]): Citation[] {
  const checked = new Map(cited.map(({ id, highlights }) => [id, highlights]));
  return all.map((citation) => {
    const highlights = checked.get(citation.id);
    return highlights ? { ...citation, highlights } : citation;
  });
}
