/** Changes of a conversation, as pure functions: a session goes in, the changed one comes out. */

import * as l10n from "@vscode/l10n";

import type { AskOptions, AssistantMessage, Message, Retrieval, Session, UserMessage } from "../../protocol/session";
import { citedIn } from "../answer/citationMarks";
import { nextQuestions } from "../answer/followups";
import type { AnswerEvent } from "../answer/types";
import { RagError } from "../common/errors";
import { clip } from "./sessionText";

const MAX_TITLE = 200;
const TITLE_FROM_QUESTION = 60;

/** A session in which a question was just asked: the first `keep` messages stayed, the last one is the answer to come. */
export interface Asked {
  session: Session;
  keep: number;
  question: UserMessage;
  answer: AssistantMessage;
}

export function newSession(id: string, at: string): Session {
  return { id, title: "", createdAt: at, updatedAt: at, messages: [] };
}

export interface NewQuestion {
  questionId: string;
  answerId: string;
  text: string;
  options: AskOptions;
  at: string;
  /** The question that is asked anew: it and all after it go. */
  replaces?: string | undefined;
}

/** Throws `RagError` MESSAGE_GONE when the message to replace is not a question of this session. */
export function ask(session: Session, asked: NewQuestion): Asked {
  const keep = asked.replaces === undefined ? session.messages.length : indexOf(session, asked.replaces, "user");
  const question: UserMessage = {
    id: asked.questionId,
    role: "user",
    text: asked.text,
    options: asked.options,
    at: asked.at,
  };
  return begin(session, keep, [question], question, asked);
}

/** Answer again: the answer and all after it go. Throws `RagError` MESSAGE_GONE when there is no such answer. */
export function retry(
  session: Session,
  again: { messageId: string; answerId: string; options: AskOptions; at: string },
): Asked {
  const keep = indexOf(session, again.messageId, "assistant");
  const question = session.messages[keep - 1];
  if (question?.role !== "user") throw gone();
  return begin(session, keep, [], question, again);
}

function begin(
  session: Session,
  keep: number,
  added: Message[],
  question: UserMessage,
  { answerId, options, at }: { answerId: string; options: AskOptions; at: string },
): Asked {
  const answer: AssistantMessage = {
    id: answerId,
    role: "assistant",
    text: "",
    at,
    state: "searching",
    notices: [],
    citations: [],
    support: [],
    options,
  };
  const messages = [...session.messages.slice(0, keep), ...added, answer];
  // A title that somebody gave stays; one made of a first question that was replaced goes with it.
  const first = session.messages[0];
  const given = session.title !== "" && !(keep === 0 && first && session.title === titleOf(first.text));
  const title = given ? session.title : titleOf(question.text);
  return { session: { ...session, title, updatedAt: at, messages }, keep, question, answer };
}

/** An answer with the next thing that came of it. */
export function applyEvent(answer: AssistantMessage, event: AnswerEvent): AssistantMessage {
  switch (event.type) {
    case "retrieval":
      return {
        ...answer,
        state: "answering",
        citations: event.retrieval.citations,
        retrieval: retrievalOf(event.retrieval),
      };
    case "delta":
      return { ...answer, state: "answering", text: answer.text + event.text };
    case "restart":
      return { ...answer, text: "" };
    case "done": {
      const { text, by, found, citations, support, notices } = event.answer;
      const done = { ...answer, state: "done" as const, text, by, found, citations, support, notices };
      const next = found ? nextQuestions(citations, citedIn(text)) : [];
      return next.length > 0 ? { ...done, followups: next } : done;
    }
  }
}

export function stopped(answer: AssistantMessage): AssistantMessage {
  return { ...answer, state: "stopped" };
}

export function failed(answer: AssistantMessage, error: RagError): AssistantMessage {
  return { ...answer, state: "failed", error: { code: error.code, message: error.message, advice: error.advice } };
}

export function isRunning(message: Message): boolean {
  return message.role === "assistant" && (message.state === "searching" || message.state === "answering");
}

/** The session with this message in the place of the one with its id. */
export function withMessage(session: Session, message: AssistantMessage): Session {
  // The last one, nearly always: it is looked for from the end.
  const index = session.messages.findLastIndex((one) => one.id === message.id);
  if (index < 0) throw gone();
  const messages = [...session.messages];
  messages[index] = message;
  return { ...session, messages };
}

/** As it is read from disk: an answer that nobody is writing any more was stopped. */
export function recovered(session: Session): Session {
  if (!session.messages.some(isRunning)) return session;
  const messages = session.messages.map((one) => (one.role === "assistant" && isRunning(one) ? stopped(one) : one));
  return { ...session, messages };
}

export function renamed(session: Session, title: string): Session {
  const clean = title.replace(/\s+/g, " ").trim();
  if (clean === "") throw new RagError("VALIDATION_ERROR", l10n.t("A chat needs a title."));
  return { ...session, title: clip(clean, MAX_TITLE) };
}

export function pinned(session: Session, isPinned: boolean): Session {
  const changed = { ...session };
  if (isPinned) changed.pinned = true;
  else delete changed.pinned;
  return changed;
}

/** An answer and the question before it. Throws `RagError` MESSAGE_GONE. */
export function answerOf(
  session: Session,
  messageId: string,
): { answer: AssistantMessage; question: UserMessage; index: number } {
  const index = indexOf(session, messageId, "assistant");
  const answer = session.messages[index];
  const question = session.messages[index - 1];
  if (answer?.role !== "assistant" || question?.role !== "user") throw gone();
  return { answer, question, index: index - 1 };
}

/** The beginning of a question, in a line. Quoted and code lines say less than what was asked about them. */
export function titleOf(text: string): string {
  const prose = text.replace(/^(`{3,}|~{3,})[^]*?^\1/gm, "").replace(/^\s*>.*$/gm, "");
  const line = (prose.trim() || text).replace(/\s+/g, " ").trim();
  const characters = [...new Intl.Segmenter().segment(line.slice(0, 500))].map((one) => one.segment);
  if (characters.length <= TITLE_FROM_QUESTION) return line;
  return `${characters
    .slice(0, TITLE_FROM_QUESTION - 1)
    .join("")
    .trimEnd()}…`;
}

function retrievalOf(answer: Extract<AnswerEvent, { type: "retrieval" }>["retrieval"]): Retrieval {
  const { strategy, reranked, rerank_scored, degraded, live } = answer.effective;
  return {
    traceId: answer.trace_id,
    query: answer.query,
    confidence: answer.confidence,
    latencyMs: answer.latency_ms,
    timingsMs: answer.timings_ms,
    effective: { strategy, reranked, rerank_scored, degraded, ...(live ? { live } : {}) },
    explanation: answer.explanation ?? [],
    scores: Object.fromEntries(answer.results.map((result) => [result.chunk_id, result.score])),
    warnings: answer.warnings,
  };
}

function indexOf(session: Session, id: string, role: Message["role"]): number {
  const index = session.messages.findIndex((one) => one.id === id && one.role === role);
  if (index < 0) throw gone();
  return index;
}

function gone(): RagError {
  return new RagError(
    "MESSAGE_GONE",
    l10n.t("This message is no longer in the chat."),
    l10n.t("It was changed in another window. The chat is shown as it stands now; ask again there."),
  );
}
