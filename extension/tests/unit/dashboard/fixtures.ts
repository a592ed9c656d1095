import { type Transport, useTransport } from "../../../../server/ragd/api/dashboard/app/lib/api.js";
import type { Page } from "../../../../server/ragd/api/dashboard/app/dashboard.js";

export const APP = new URL("../../../../server/ragd/api/dashboard/app/", import.meta.url);

/** Texts that do something where they are taken for markup, or for more than their letters. */
export const HOSTILE = [
  `<img src=x onerror="globalThis.hit = 1">`,
  `<script>globalThis.hit = 1</script>`,
  `"><svg onload=globalThis.hit=1>`,
  `</title><iframe srcdoc="<script>parent.hit=1</script>">`,
  `javascript:globalThis.hit=1`,
  `{{constructor.constructor('globalThis.hit=1')()}}`,
  `\u202Egnp.exe\u202C {0} {1}`,
  `&lt;b&gt; ${"<b>".repeat(20)}`,
];

export interface Sent {
  method: string;
  path: string;
  body?: unknown;
}

/** A daemon that answers from a table of addresses without their parameters; each request is in `sent`. */
export function answering(answers: Record<string, unknown>): Sent[] {
  const sent: Sent[] = [];
  const transport: Transport = {
    send: ({ method, path, body }) => {
      sent.push({ method, path, ...(body === undefined ? {} : { body }) });
      const key = `${method} ${path.split("?")[0] ?? ""}`;
      return key in answers ? Promise.resolve(answers[key]) : Promise.reject(new Error(`nothing answers ${key}`));
    },
    watch: () => Promise.resolve(),
  };
  useTransport(transport);
  return sent;
}

export function visit(page: Page, id = "", query: Record<string, string> = {}): Promise<HTMLElement> {
  return page({ id, query: new URLSearchParams(query), signal: new AbortController().signal, go: () => undefined });
}

/** Opens all that is folded, also what was folded inside. */
export async function unfold(element: HTMLElement): Promise<void> {
  for (let closed = ["-"]; closed.length > 0;) {
    const details = [...element.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    closed = details.map(() => "-");
    for (const one of details) {
      one.open = true;
      one.dispatchEvent(new Event("toggle"));
    }
    await Promise.resolve();
  }
}

export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const position = (rank: number, score: number | null = 0.5) => ({ rank, score });

/** A trace as the contract has it, whatever its texts are. */
export function traceOf(text: string) {
  return {
    trace_id: "t1",
    trace_type: "query",
    status: "ok",
    started_at: "2026-11-24T04:00:00.000Z",
    ended_at: "2026-11-24T04:00:00.020Z",
    strategy_config_id: "0".repeat(32),
    build: "0.1.0",
    spans: [
      span("s1", "stage.query_norm", { type: "analyzer", id: "bigram", profile: "p" }, 0, 4),
      span("s2", "stage.retrieve_dense", { type: "dense", id: text, profile: text }, 4, 12, { "ext.stranger.depth": 7 }),
      span("s3", "stage.fusion", { type: "fusion", id: "learned", profile: "weights-2" }, 12, 14),
    ],
    events: [
      event("query.normalized", "s1", { query: text, text, language: "en", filters: { source: [text] }, settings: {} }),
      event("retrieval.candidates", "s2", {
        source: "dense",
        found: 2,
        candidates: [],
        ext: { stranger: { note: text, [text]: 1 } },
      }),
      event("stranger.looked", null, { [text]: [{ deep: text }] }),
      event("degraded", "s3", { stage: text, code: text }),
      event("response.envelope", "s3", { results: 1, warnings: 0, confidence: 0.4, explanation: [] }),
    ],
    aggregates: { latency_ms: 20, stage_latency_ms: {}, counters: { results: 1 }, errors: [{ code: text, type: text }] },
    links: { job_id: null, request_id: null, eval: null },
  };
}

export function flowOf(text: string) {
  const document = { doc_id: "d1", source: text, title: text, place: text };
  return {
    trace_id: "t1",
    query: text,
    lists: [
      { name: "dense", listed: 2, found: 2, is_cut: false },
      { name: "stranger", listed: 1, found: null, is_cut: true },
      { name: "context", listed: 1, found: null, is_cut: false },
    ],
    candidates: [
      {
        chunk_id: "c1",
        positions: { dense: position(2), stranger: position(1), context: position(1, null) },
        end: "context",
        live: true,
        document,
        excerpt: text,
      },
      { chunk_id: "c2", positions: { dense: position(1) }, end: "beyond_list", live: true, document, excerpt: text },
      { chunk_id: "c3", positions: { dense: position(3) }, end: "beyond_top_k", live: false, document: null, excerpt: null },
    ],
  };
}

function span(span_id: string, name: string, provider: object, start_ms: number, end_ms: number, attrs: object = {}) {
  return { parent: null, span_id, name, provider, start_ms, end_ms, status: "ok", attrs };
}

function event(kind: string, span_id: string | null, payload: object) {
  return { ts_ms: 1, span_id, kind, payload };
}
