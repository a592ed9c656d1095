/** Conversations of the chat panel: what is kept on disk and shown in the webview. */

import type { Citation, Explained, Filters, LiveCounts, Support } from "../core/api/types";

/** One thing that a question is asked about. `id`: of a document or source, a collection's name, or the beginning of paths. */
export interface ScopeItem {
  kind: "collection" | "source" | "folder" | "document";
  id: string;
  label: string;
}

/** A selection or a file that goes with a question to the model. The search does not see it. */
export interface AttachedText {
  name: string;
  text: string;
}

/** What a question is asked with; what is left out is the daemon's default. */
export interface AskOptions {
  /** Empty: all that are enabled, also where a setting names one. */
  collection?: string;
  /** hybrid, dense_only, sparse_only or the name of a strategy. */
  strategy?: string;
  rerank?: boolean;
  filters?: Filters;
  /** Only what is in any of these is asked. */
  scope?: ScopeItem[];
  attachments?: AttachedText[];
  topK?: number;
  /** Who writes: the `id` of a `ModelChoice`. Left out: the setting `ragAssistant.answer.model`. */
  model?: string;
}

export interface UserMessage {
  id: string;
  role: "user";
  text: string;
  options: AskOptions;
  at: string;
}

/** `passages`: no model wrote; the answer is made of the passages themselves. `noModel`: because there is none to ask. */
export type WrittenBy =
  { kind: "editor" | "daemon"; name: string } | { kind: "passages"; why?: string; noModel?: boolean };

/** How the passages were found, for "why these passages". */
export interface Retrieval {
  traceId: string;
  /** What was searched: the question, made self-contained. */
  query: string;
  confidence: number;
  latencyMs: number;
  timingsMs: Record<string, number>;
  effective: {
    strategy: string;
    reranked: boolean;
    rerank_scored: number;
    degraded: string[];
    /** Of passages from Confluence and Jira; left out where there were none. */
    live?: LiveCounts;
  };
  explanation: Explained[];
  /** Chunk id → shown score, 0..1. */
  scores: Record<string, number>;
  warnings: string[];
}

export interface AssistantMessage {
  id: string;
  role: "assistant";
  /** Markdown with `[n]` citations. */
  text: string;
  at: string;
  /**
   * searching → answering → done. `stopped`: by the user, or the editor was closed midway (what had come is kept).
   * `failed`: `error` says why.
   */
  state: "searching" | "answering" | "done" | "stopped" | "failed";
  error?: { code: string; message: string; advice: string };
  /** Said plainly above the answer, such as why the model did not write it. */
  notices: string[];
  /** All passages that were found, numbered; the text cites some of them. */
  citations: Citation[];
  support: Support[];
  found?: boolean;
  by?: WrittenBy;
  retrieval?: Retrieval;
  /** Questions that go on from here. */
  followups?: string[];
  feedback?: { verdict: "up" | "down"; id: string; comment?: string };
  /** The options of the question that it answers. */
  options: AskOptions;
}

export type Message = UserMessage | AssistantMessage;

export interface Session {
  id: string;
  /** The beginning of its first question; empty while nothing was asked. */
  title: string;
  createdAt: string;
  updatedAt: string;
  messages: Message[];
  /** It stands first in the list, and is kept however many there are. */
  pinned?: true;
}

/** A session in the list of sessions; `excerpt` shows where a search matched. */
export interface SessionRow {
  id: string;
  title: string;
  updatedAt: string;
  messageCount: number;
  pinned?: true;
  excerpt?: string;
}
