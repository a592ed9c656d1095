/** Passages, questions and models for tests of answers. */

import type { ChatMessage, Question, Writer } from "../../src/core/answer/types";
import type { ChatDone, ChatEvent, ChatRequest, Citation, QueryAnswer, QueryRequest, VerifiedAnswer } from "../../src/core/api/types";
import type { DaemonClient } from "../../src/core/client/daemonClient";

export function citation(id: number, content: string, more: Partial<Citation> = {}): Citation {
  return {
    id,
    chunk_id: `chunk${id}`,
    doc_id: `doc${id}`,
    collection: "default",
    content,
    doc_type: "markdown",
    title: `Document ${id}`,
    source: `guides/doc${id}.md`,
    source_uri: `file:///srv/docs/guides/doc${id}.md`,
    section_path: [`Document ${id}`, "Leases"],
    line_range: [1, 3],
    images: [],
    ...more,
  };
}

export function retrieval(citations: Citation[], more: Partial<QueryAnswer> = {}): QueryAnswer {
  return {
    trace_id: "0".repeat(32),
    query: "q",
    results: [],
    context: "",
    citations,
    latency_ms: 12,
    timings_ms: { total: 12 },
    effective: { strategy: "hybrid", reranked: true, rerank_scored: 5, degraded: [] },
    warnings: [],
    confidence: 0.9,
    plan: { language: "en" },
    ...more,
  };
}

export function question(text: string, more: Partial<Question> = {}): Question {
  return { text, history: [], attachments: [], options: {}, ...more };
}

export function done(more: Partial<ChatDone> = {}): ChatDone {
  return {
    trace_id: "0".repeat(32),
    answer: "The documents say: so [1].",
    provider: "extractive",
    model: "",
    found: true,
    finish: "complete",
    citations: [],
    support: [],
    removed_citations: 0,
    usage: {},
    degraded: [],
    warnings: [],
    ...more,
  };
}

/** A daemon in memory: it finds `found`, and its own model says `says`. */
export class FakeClient {
  readonly queries: QueryRequest[] = [];
  readonly chats: ChatRequest[] = [];
  readonly verified: { answer: string; citations: { id: number; chunk_ids: string[] }[] }[] = [];

  constructor(
    private readonly found: QueryAnswer | Error,
    private readonly says: ChatDone | Error = done(),
    private readonly verdict: Partial<VerifiedAnswer> | Error = {},
  ) {}

  query(request: QueryRequest): Promise<QueryAnswer> {
    this.queries.push(request);
    return this.found instanceof Error ? Promise.reject(this.found) : Promise.resolve(this.found);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- as the real one
  async *chat(request: ChatRequest): AsyncGenerator<ChatEvent> {
    this.chats.push(request);
    if (this.found instanceof Error) throw this.found;
    yield { event: "retrieval", data: this.found };
    if (this.says instanceof Error) throw this.says;
    yield { event: "delta", data: { text: this.says.answer } };
    yield { event: "done", data: this.says };
  }

  verify(answer: string, citations: { id: number; chunk_ids: string[] }[]): Promise<VerifiedAnswer> {
    this.verified.push({ answer, citations });
    if (this.verdict instanceof Error) return Promise.reject(this.verdict);
    return Promise.resolve({ answer, removed_citations: 0, support: [], citations: [], ...this.verdict });
  }

  service(): { client(): Promise<DaemonClient> } {
    return { client: () => Promise.resolve(this as unknown as DaemonClient) };
  }
}

/** A model that says these pieces; an error among them is thrown in its place. Four characters are a token. */
export class FakeWriter implements Writer {
  readonly name = "Test model";
  readonly asked: ChatMessage[][] = [];
  readonly counted: string[] = [];

  constructor(
    private readonly pieces: (string | Error)[],
    readonly maxInputTokens = 10_000,
  ) {}

  countTokens(text: string): Promise<number> {
    this.counted.push(text);
    return Promise.resolve(Math.ceil(text.length / 4));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- as the real one
  async *stream(messages: ChatMessage[]): AsyncGenerator<string> {
    this.asked.push(messages);
    for (const piece of this.pieces) {
      if (piece instanceof Error) throw piece;
      yield piece;
    }
  }
}
