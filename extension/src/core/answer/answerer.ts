/** Answers: passages from the daemon, words from a model of the editor, from the daemon's own, or from the passages alone. */

import * as l10n from "@vscode/l10n";

import type { ChatDone, QueryAnswer, Support } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import { throwIfCancelled, untilCancelled } from "../common/cancellation";
import { RagError, asRagError, isCancelled } from "../common/errors";
import type { DaemonService } from "../daemon/status";
import { CitationFilter, textOf } from "./citationMarks";
import { saysNotFound } from "./notFound";
import { buildPrompt } from "./prompt";
import { searchRequest } from "./searchRequest";
import type { AnswerEvent, ChosenWriter, FinishedAnswer, Question, Writer, AnswerService } from "./types";

/** The daemon's own default of `answer.min_confidence`: below it, the daemon is asked whether anything was found at all. */
const DOUBTFUL = 0.2;
const MOST_VERIFIED_CHARS = 100_000;

/** A model that gave nothing at all, and why; another way to answer is still open. */
class NoAnswer {
  constructor(
    readonly writer: Writer,
    readonly error: RagError,
  ) {}
}

export function createAnswerService(daemon: Pick<DaemonService, "client">): AnswerService {
  return new Answerer(daemon);
}

export class Answerer implements AnswerService {
  constructor(private readonly daemon: Pick<DaemonService, "client">) {}

  async *answer(question: Question, writer: ChosenWriter, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    throwIfCancelled(signal);
    const client = await this.daemon.client();
    throwIfCancelled(signal);
    if (writer === undefined || writer === "passages") {
      yield* answerByDaemon(client, question, { extractive: writer === "passages" }, signal);
      return;
    }
    const retrieval = await client.query(searchRequest(question.text, question.options, question.history), signal);
    const doubtful = retrieval.citations.length === 0 || retrieval.confidence < DOUBTFUL;
    if (doubtful && question.attachments.length === 0) {
      yield* answerByDaemon(client, question, {}, signal);
      return;
    }
    yield { type: "retrieval", retrieval };
    const failure = yield* answerByWriter(client, question, retrieval, writer, signal);
    if (failure !== undefined) yield* answerByDaemon(client, question, { instead: failure }, signal);
  }
}

/** Returns what went wrong when nothing came of it. */
async function* answerByWriter(
  client: DaemonClient,
  question: Question,
  retrieval: QueryAnswer,
  writer: Writer,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, NoAnswer | undefined> {
  let text = "";
  let brokeOff: RagError | undefined;
  let notices: string[] = [];
  try {
    const budget = { tokens: writer.maxInputTokens, count: (piece: string) => writer.countTokens(piece, signal) };
    const prompt = await buildPrompt(question, retrieval.citations, retrieval.plan?.["language"], budget);
    notices = prompt.notices;
    const filter = new CitationFilter(prompt.given.map((citation) => citation.id));
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
  const checked = await verified(client, text, retrieval, signal);
  yield {
    type: "done",
    answer: {
      text: checked.text,
      by: { kind: "editor", name: writer.name },
      found: !saysNotFound(checked.text),
      finish: brokeOff ? "cut_off" : "complete",
      citations: retrieval.citations,
      support: checked.support,
      notices: [...retrieval.warnings, ...notices, ...checked.notices],
    },
  };
  return undefined;
}

interface ByDaemon {
  /** No model at all, whatever the daemon has. */
  extractive?: boolean;
  /** The model that was to answer. */
  instead?: NoAnswer;
}

async function* answerByDaemon(
  client: DaemonClient,
  question: Question,
  { extractive = false, instead }: ByDaemon,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
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
        yield { type: "done", answer: finished(data, retrieval, question, instead) };
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

function finished(done: ChatDone, retrieval: QueryAnswer, question: Question, instead: NoAnswer | undefined): FinishedAnswer {
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
    by: byPassages ? { kind: "passages", ...(why ? { why } : {}) } : { kind: "daemon", name: done.model || done.provider },
    found: done.found,
    // An answer that ends because the daemon does was not called off by anybody here.
    finish: done.finish === "cancelled" ? "cut_off" : done.finish,
    citations: retrieval.citations,
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

async function verified(
  client: DaemonClient,
  text: string,
  retrieval: QueryAnswer,
  signal: AbortSignal,
): Promise<{ text: string; support: Support[]; notices: string[] }> {
  if (saysNotFound(text) || retrieval.citations.length === 0) return { text, support: [], notices: [] };
  if (text.length > MOST_VERIFIED_CHARS) {
    return { text, support: [], notices: [l10n.t("The answer is too long to be held against the passages.")] };
  }
  const given = retrieval.citations.map(({ id, chunk_id, chunk_ids }) => ({ id, chunk_ids: chunk_ids ?? [chunk_id] }));
  try {
    const { answer, support } = await client.verify(text, given, signal);
    return { text: answer, support, notices: [] };
  } catch (error) {
    throwIfCancelled(signal);
    if (isCancelled(error)) throw error;
    // The answer stands; only what is said about it is missing.
    const message = l10n.t("The answer was not held against the passages: {0}", asRagError(error).message);
    return { text, support: [], notices: [message] };
  }
}
