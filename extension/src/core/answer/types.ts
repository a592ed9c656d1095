/** What answers questions have in common, in the chat panel and in `@rag`: the parts, as types. */

import type { AskOptions, WrittenBy } from "../../protocol/session";
import type { Attachment, Citation, PromptMessage, QueryAnswer, Support, Turn } from "../api/types";

/** A language model that writes answers. */
export interface Writer {
  readonly name: string;
  /** In tokens, for the whole request. Throws `RagError` MODEL_MISSING for a model that is not there. */
  readonly maxInputTokens: number;
  countTokens(text: string, signal: AbortSignal): Promise<number>;
  /** Pieces of text as they come. Throws `RagError` with code MODEL_REFUSED, MODEL_MISSING, MODEL_QUOTA or MODEL_FAILED. */
  stream(messages: PromptMessage[], signal: AbortSignal): AsyncIterable<string>;
}

/**
 * Who writes an answer: a model of the editor; `passages`: none, as was chosen; `nobody`: none, as there is none; undefined: the
 * daemon's own model.
 */
export type ChosenWriter = Writer | "passages" | "nobody" | undefined;

export interface Question {
  text: string;
  /** The turns before, oldest first. */
  history: Turn[];
  attachments: Attachment[];
  options: AskOptions;
}

export interface FinishedAnswer {
  text: string;
  by: WrittenBy;
  found: boolean;
  finish: "complete" | "length" | "cut_off";
  /** All that were given to the writer; `text` cites some of them. */
  citations: Citation[];
  support: Support[];
  /** Said to the user above or below the answer: degraded parts, a model that refused, passages left out for room. */
  notices: string[];
}

export type AnswerEvent =
  | { type: "retrieval"; retrieval: QueryAnswer }
  | { type: "delta"; text: string }
  /** What came so far is void (a model that broke off before its end): the text begins anew. */
  | { type: "restart" }
  | { type: "done"; answer: FinishedAnswer };

export interface AnswerService {
  /**
   * The answer as it comes into being. When the writer fails before its first piece, the daemon's own model or the passages
   * answer. Throws `RagError`, and as `fetch` does when it was called off.
   */
  answer(question: Question, writer: ChosenWriter, signal: AbortSignal): AsyncIterable<AnswerEvent>;
}
