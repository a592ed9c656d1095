/** What a question becomes when it is sent to the daemon. */

import type { AskOptions } from "../../protocol/session";
import type { QueryRequest, Turn } from "../api/types";

// The daemon takes 50 turns of 20,000 characters; what makes a follow-up self-contained stands in the last few.
const MOST_TURNS = 20;
const LONGEST_TURN = 4_000;

/** The request for a question as it was asked; it always asks for the explanation, too. */
export function searchRequest(text: string, options: AskOptions, history: readonly Turn[] = []): QueryRequest {
  return {
    query: text,
    explain: true,
    ...(options.collection ? { collection: options.collection } : {}),
    ...(options.strategy ? { strategy: options.strategy } : {}),
    ...(options.rerank === undefined ? {} : { rerank: options.rerank }),
    ...(options.filters ? { filters: options.filters } : {}),
    ...(options.topK ? { top_k: options.topK } : {}),
    ...(history.length > 0 ? { history: history.slice(-MOST_TURNS).map(shortened) } : {}),
  };
}

function shortened(turn: Turn): Turn {
  return turn.text.length <= LONGEST_TURN ? turn : { role: turn.role, text: turn.text.slice(0, LONGEST_TURN) };
}
