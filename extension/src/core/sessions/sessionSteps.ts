/** A session that was changed elsewhere, as the messages that bring a webview up to date without drawing it anew. */

import type { MessageToWebview } from "../../protocol/chat";
import type { AssistantMessage, Session } from "../../protocol/session";
import { isRunning } from "./sessionChanges";

/** Both are of one session. Empty when nothing that is shown differs. */
export function stepsBetween(before: Session, after: Session): MessageToWebview[] {
  const sessionId = after.id;
  const first = after.messages.findIndex((message, index) => !same(message, before.messages[index]));
  const keep = first < 0 ? after.messages.length : first;
  const [old, now] = [before.messages[keep], after.messages[keep]];
  const isLast = keep === after.messages.length - 1 && before.messages.length === after.messages.length;
  const { title } = after;
  if (first < 0 && before.messages.length === after.messages.length)
    return before.title === title ? [] : [{ type: "session.title", sessionId, title }];
  if (isLast && old?.role === "assistant" && now?.role === "assistant" && old.id === now.id) {
    const steps = answerSteps(sessionId, old, now);
    if (steps) return before.title === title ? steps : [{ type: "session.title", sessionId, title }, ...steps];
  }
  return [{ type: "answer.started", sessionId, keep, messages: after.messages.slice(keep), title }];
}

/** Undefined for an answer that goes on after it had ended. */
function answerSteps(sessionId: string, old: AssistantMessage, now: AssistantMessage): MessageToWebview[] | undefined {
  const about = { sessionId, messageId: now.id };
  if (!isRunning(now)) {
    if (same(withoutFeedback(old), withoutFeedback(now)))
      return [{ type: "feedback", ...about, feedback: now.feedback ?? null }];
    return [{ type: "answer.ended", sessionId, message: now }];
  }
  if (!isRunning(old)) return undefined;
  const steps: MessageToWebview[] = [];
  if (now.retrieval && !same(old.retrieval, now.retrieval))
    steps.push({ type: "answer.retrieval", ...about, citations: now.citations, retrieval: now.retrieval });
  const goesOn = now.text.startsWith(old.text);
  if (!goesOn) steps.push({ type: "answer.restart", ...about });
  const text = goesOn ? now.text.slice(old.text.length) : now.text;
  if (text !== "") steps.push({ type: "answer.delta", ...about, text });
  return steps;
}

function withoutFeedback(answer: AssistantMessage): AssistantMessage {
  const judged = { ...answer };
  delete judged.feedback;
  return judged;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
