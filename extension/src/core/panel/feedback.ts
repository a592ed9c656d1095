/** Feedback on an answer: sent to the daemon, and stored with the answer. */

import type { AssistantMessage, Session } from "../../protocol/session";
import type { FeedbackRequest } from "../api/types";
import type { ClientProvider } from "../client/reachable";
import { RagError } from "../common/errors";
import { answerOf, withMessage } from "../sessions/sessionChanges";
import { chunkIds, citedPassages, clip, historyOf } from "../sessions/sessionText";
import type { Conversations } from "./conversations";

const MOST_QUESTION_CHARS = 20_000;
const MOST_ANSWER_CHARS = 100_000;
const MOST_CHUNKS = 100;

export interface Judgement {
  sessionId: string;
  messageId: string;
  verdict: "up" | "down" | null;
  /** Why. */
  comment?: string;
}

/** Gives, changes or withdraws (null) feedback; returns what is stored now. */
export async function submitFeedback(
  daemon: ClientProvider,
  conversations: Conversations,
  { sessionId, messageId, verdict, comment }: Judgement,
): Promise<AssistantMessage["feedback"] | null> {
  const session = await conversations.get(sessionId);
  const before = answerOf(session, messageId).answer.feedback;
  if ((before?.verdict ?? null) === verdict && before?.comment === comment) return before ?? null;
  const client = await daemon.client();
  // The new one first: when this fails, the old one still stands.
  const given = verdict
    ? {
        ...{ verdict, id: (await client.giveFeedback(requestFor(session, messageId, verdict, comment))).id },
        ...(comment === undefined ? {} : { comment }),
      }
    : null;
  if (before) {
    try {
      await client.withdrawFeedback(before.id);
    } catch (error) {
      if (!(error instanceof RagError) || error.code !== "FEEDBACK_NOT_FOUND") throw error;
    }
  }
  // As it is by now: an answer may have grown in the meantime.
  const latest = await conversations.get(sessionId);
  const answer = { ...answerOf(latest, messageId).answer };
  if (given) answer.feedback = given;
  else delete answer.feedback;
  conversations.update(withMessage(latest, answer));
  return given;
}

export function requestFor(
  session: Session,
  messageId: string,
  verdict: "up" | "down",
  comment?: string,
): FeedbackRequest {
  const { answer, question, index } = answerOf(session, messageId);
  const history = historyOf(session.messages.slice(0, index));
  const { collection, filters } = answer.options;
  return {
    question: clip(question.text, MOST_QUESTION_CHARS),
    verdict,
    ...(comment === undefined ? {} : { comment }),
    ...(collection ? { collection } : {}),
    ...(filters ? { filters } : {}),
    ...(history.length > 0 ? { history } : {}),
    chunk_ids: chunkIds(citedPassages(answer)).slice(0, MOST_CHUNKS),
    ...(answer.text ? { answer: clip(answer.text, MOST_ANSWER_CHARS) } : {}),
    ...(answer.retrieval ? { trace_id: answer.retrieval.traceId } : {}),
  };
}
