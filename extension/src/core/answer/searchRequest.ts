/** What a question becomes when it is sent to the daemon. */

import type { AskOptions, ScopeItem } from "../../protocol/session";
import type { QueryRequest, Turn } from "../api/types";

// The daemon takes 50 turns of 20,000 characters; what makes a follow-up self-contained stands in the last few.
const MOST_TURNS = 20;
const LONGEST_TURN = 4_000;

/** The request for a question as it was asked; it always asks for the explanation, too. */
export function searchRequest(text: string, options: AskOptions, history: readonly Turn[] = []): QueryRequest {
  return {
    query: text,
    explain: true,
    // What is chosen may lie in several collections.
    ...(options.collection && !options.scope?.length ? { collection: options.collection } : {}),
    ...(options.strategy ? { strategy: options.strategy } : {}),
    ...(options.rerank === undefined ? {} : { rerank: options.rerank }),
    ...filtersOf(options),
    ...(options.topK ? { top_k: options.topK } : {}),
    ...(history.length > 0 ? { history: history.slice(-MOST_TURNS).map(shortened) } : {}),
  };
}

/** The filters, and what is chosen as one more of them. */
export function filtersOf({ filters, scope = [] }: AskOptions): Pick<QueryRequest, "filters"> {
  if (scope.length === 0) return filters ? { filters } : {};
  const ids = (kind: ScopeItem["kind"]) => scope.filter((one) => one.kind === kind).map(({ id }) => id);
  const chosen = {
    collection: ids("collection"),
    source_id: ids("source"),
    path_prefix: ids("folder"),
    doc_id: ids("document"),
  };
  return {
    filters: { ...filters, among: Object.fromEntries(Object.entries(chosen).filter(([, list]) => list.length > 0)) },
  };
}

function shortened(turn: Turn): Turn {
  return turn.text.length <= LONGEST_TURN ? turn : { role: turn.role, text: turn.text.slice(0, LONGEST_TURN) };
}
