/** What a chat answer keeps for later: for the next turn, for follow-ups and for feedback. */

import type { Followup } from "../../core/answer/followups";

export interface AnswerMetadata {
  question: string;
  collection: string;
  answer: string;
  traceId: string;
  /** Of the passages that were cited or, when none was, of all that were given. */
  chunkIds: string[];
  followups: Followup[];
  /** It was said that there is no language model: once a conversation is enough. */
  saidNoModel?: boolean;
}

/** Reads what the editor gives back; undefined when an answer kept nothing. */
export function readMetadata(metadata: Readonly<Record<string, unknown>> | undefined): AnswerMetadata | undefined {
  return typeof metadata?.["traceId"] === "string" ? (metadata as unknown as AnswerMetadata) : undefined;
}
