/** What the extension's messages do to the session that is shown. */

import type { MessageToWebview } from "../../../src/protocol/chat";
import { emptyScope } from "../../../src/protocol/emptyScope";

import type { AssistantMessage, ScopeItem, Session } from "../types";

export type AnswerUpdate = Extract<
  MessageToWebview,
  { type: "answer.started" | "answer.retrieval" | "answer.delta" | "answer.restart" | "answer.ended" | "feedback" }
>;

/** Changes `session` in place; false when the message is about another session, or about a message that is gone. */
export function applyUpdate(session: Session, update: AnswerUpdate): boolean {
  if (update.sessionId !== session.id) return false;
  if (update.type === "answer.started") {
    session.messages.splice(update.keep, Infinity, ...update.messages);
    session.title = update.title;
    return true;
  }
  const message = assistant(session, update.type === "answer.ended" ? update.message.id : update.messageId);
  if (message === undefined) return false;
  switch (update.type) {
    case "answer.retrieval":
      message.citations = update.citations;
      message.retrieval = update.retrieval;
      message.state = "answering";
      break;
    case "answer.delta":
      message.text += update.text;
      message.state = "answering";
      break;
    case "answer.restart":
      message.text = "";
      break;
    case "answer.ended":
      session.messages[session.messages.indexOf(message)] = update.message;
      break;
    case "feedback":
      if (update.feedback) message.feedback = update.feedback;
      else delete message.feedback;
      break;
  }
  return true;
}

/** The answer that is being written, if one is. */
export function running(session: Session): AssistantMessage | undefined {
  return session.messages.find(
    (message): message is AssistantMessage =>
      message.role === "assistant" && (message.state === "searching" || message.state === "answering"),
  );
}

/** What was asked about, where nothing of it is indexed. */
export function emptyScopeOf({ state, found, citations, retrieval, options }: AssistantMessage): ScopeItem[] {
  if (state !== "done" || found === undefined || retrieval === undefined) return [];
  return emptyScope(options, { citations, effective: retrieval.effective, found });
}

/** The id of the first answer that had no language model to write it. */
export function firstWithoutModel(session: Session): string | undefined {
  return session.messages.find(
    (message) => message.role === "assistant" && message.by?.kind === "passages" && message.by.noModel === true,
  )?.id;
}

function assistant(session: Session, id: string): AssistantMessage | undefined {
  return session.messages.find(
    (message): message is AssistantMessage => message.role === "assistant" && message.id === id,
  );
}
