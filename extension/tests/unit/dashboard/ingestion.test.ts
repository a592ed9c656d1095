// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";

import { fetchTransport, useTransport } from "../../../../server/ragd/api/dashboard/app/lib/api.js";
import { ingestion } from "../../../../server/ragd/api/dashboard/app/pages/ingestion.js";
import { questions } from "../../../../server/ragd/api/dashboard/app/pages/questions.js";
import { reading } from "../../../../server/ragd/api/dashboard/app/pages/reading.js";
import { HOSTILE, answering, settled, traceOf, unfold, visit } from "./fixtures";

const ended = (text: string) => ({
  job_id: "j1",
  kind: text,
  status: "completed",
  collection: text,
  progress: { stage: "done", done: 1, total: 1 },
  result: { added: 2, updated: 0, unchanged: 1, moved: 0, deleted: 0, failed: [{ source: text, message: text }], chunks: 9 },
  error: null,
  finished_at: "2026-11-24T04:00:00.000Z",
});
const running = (text: string) => ({
  ...ended(text),
  job_id: "j2",
  status: "running",
  result: null,
  progress: { stage: text, done: 3, total: 12 },
});

const row = (trace_id: string, text: string) => ({
  ...{ trace_id, trace_type: "ingestion", status: "ok", question: text },
  started_at: `2026-11-24T04:00:0${trace_id.slice(1)}.000Z`,
  latency_ms: 30,
  document: { doc_id: "d1", source: text },
});
const decision = (text: string, size: number) => ({
  ...{ ts_ms: 0, span_id: "s1", kind: "ingest.dedup_decision" },
  payload: { doc_id: "d1", decision: text, size },
});

const answers = (text: string) => ({
  "GET /api/jobs": { items: [running(text), ended(text)], total: 2, page: 1, page_size: 20 },
  "GET /api/collections": { items: [{ name: text, status: "enabled" }], total: 1 },
  "GET /api/traces": { items: [row("t2", text), row("t1", text)], total: 40, page: 1, page_size: 20 },
  "GET /api/traces/t1": { ...traceOf(text), events: [decision(text, 9)] },
  "GET /api/traces/t2": { ...traceOf(text), events: [decision(text, 8)] },
  "GET /api/documents/d1": { id: "d1", title: text, source: text },
  "POST /api/traces/t1/replay": {
    same: false,
    notes: [text],
    failed: { before: null, after: { code: "EMPTY", message: text } },
    values: [{ name: "chunk_stats.chunks", before: 9, after: 7 }],
    providers: [{ name: text, before: text, after: null }],
    chunks: {
      before: 9,
      after: 7,
      named: true,
      kept: 6,
      new: [{ place: text, section_path: [] }],
      gone: [{ place: "", section_path: [text] }],
    },
  },
  "DELETE /api/jobs/j2": {},
  "POST /api/ingest": { job_id: "j3" },
  "POST /api/query": { trace_id: "t9" },
});

describe("ingestion", () => {
  it("shows how far each job is, and calls one off", async () => {
    const sent = answering(answers("ingest"));
    const page = await visit(ingestion);
    const bar = page.querySelector("progress");
    expect([bar?.value, bar?.max]).toEqual([3, 12]);
    page.querySelector<HTMLButtonElement>('button[aria-label="Cancel: ingest"]')?.click();
    await settled();
    expect(sent.at(-1)).toEqual({ method: "DELETE", path: "/api/jobs/j2" });
  });

  it("says what came of a job, and of each file that failed why", async () => {
    answering(answers("a.pdf"));
    const page = await visit(ingestion);
    await unfold(page);
    expect(page.textContent).toContain("added 2, unchanged 1, failed 1, chunks 9");
    expect(page.querySelector("li")?.textContent).toBe("a.pdf: a.pdf");
  });

  it("adds a path to a collection", async () => {
    const sent = answering(answers("guides"));
    const page = await visit(ingestion);
    const path = page.querySelector<HTMLInputElement>("input[type=text]");
    if (path) path.value = "/data/new";
    path?.form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
    await settled();
    const added = sent.findIndex(({ method }) => method === "POST");
    expect(sent[added]?.body).toEqual({ paths: ["/data/new"], collection: "guides" });
    // What came of it, once its own events have ended.
    expect(sent.slice(added + 1).map(({ path }) => path)).toEqual(["/api/jobs?page=1&page_size=20"]);
  });

  it("follows the daemon's events, however the stream is cut, and asks what came of a job that is gone from them", async () => {
    const events = [
      `: hello\n\nevent: state\ndata: ${JSON.stringify({ jobs: [running("first")] })}\n\n`,
      `event: state\ndata: ${JSON.stringify({ jobs: [] })}\n\nevent: stopping\ndata: {}\n\n`,
    ];
    const bytes = new TextEncoder().encode(events.join(""));
    const asked: string[] = [];
    const known: Record<string, unknown> = answers("ingest");
    const real = fetchTransport(() => "the key");
    vi.stubGlobal("fetch", (path: string, { headers }: { headers: Record<string, string> }) => {
      asked.push(`${path} ${headers["X-Dashboard-Key"] ?? ""}`);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let index = 0; index < bytes.length; index += 1) controller.enqueue(bytes.slice(index, index + 1));
          controller.close();
        },
      });
      return Promise.resolve(new Response(body));
    });
    useTransport({
      send: ({ method, path }) => Promise.resolve(known[`${method} ${path.split("?")[0] ?? ""}`]),
      watch: (path, on, signal) => real.watch(path, on, signal),
    });
    const page = await visit(ingestion);
    await expect.poll(() => page.textContent).toContain("Nothing is being done.");
    expect(asked).toEqual(["/api/events the key"]);
  });

  it.each(HOSTILE)("takes %j for text", async (text) => {
    answering(answers(text));
    const page = await visit(ingestion);
    document.body.replaceChildren(page);
    await unfold(page);
    expect(page.querySelectorAll("script, iframe, img, b, svg, [onload], [onerror]")).toHaveLength(0);
    expect(page.textContent).toContain(text);
  });
});

it("a question that is tried leads to its page", async () => {
  const sent = answering({ ...answers("guides"), "GET /api/traces": { items: [], total: 0, page: 1, page_size: 20 } });
  const gone: string[] = [];
  const page = await questions({
    id: "",
    query: new URLSearchParams(),
    signal: new AbortController().signal,
    go: (to) => gone.push(to),
  });
  const query = page.querySelector<HTMLInputElement>("input[type=text]");
  if (query) query.value = "why?";
  query?.form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
  await settled();
  expect(sent.at(-1)?.body).toEqual({ query: "why?" });
  expect(gone).toEqual(["questions/t9"]);
});

describe("how a file was read", () => {
  it("is among the files that were read, with its document", async () => {
    const sent = answering(answers("guide.md"));
    const page = await visit(ingestion);
    await settled();
    expect(sent.map(({ path }) => path)).toContain("/api/traces?type=ingestion&page_size=20");
    const links = [...page.querySelectorAll('[aria-label="Files that were read"] tbody tr:first-child a')];
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["#/ingestion/t2", "#/documents/d1"]);
    expect(page.textContent).toContain("These are the newest of 40.");
  });

  it("has its stages, and what differs when the file is read again", async () => {
    const sent = answering(answers("guide.md"));
    const page = await visit(reading, "t1");
    expect(page.querySelectorAll('[aria-label="Stages"] tbody tr')).toHaveLength(3);
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Read it again, to compare")?.click();
    await settled();
    expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/traces/t1/replay", body: {} });
    expect(page.textContent).toContain("It would be read otherwise");
    expect(page.querySelector('[aria-label="Counted otherwise"] tbody')?.textContent).toBe("chunk_stats.chunks97");
  });

  it("stands beside another reading of the same document: times, and what was counted otherwise", async () => {
    answering(answers("guide.md"));
    const page = await visit(reading, "t1", { against: "t2" });
    expect([...page.querySelectorAll("option")].map(({ value }) => value)).toEqual(["", "t2"]);
    expect(page.querySelectorAll('[aria-label="Times of both readings"] tbody tr')).toHaveLength(3);
    expect(page.querySelector('[aria-label="Counted otherwise"] tbody')?.textContent).toBe("ingest.dedup_decision.size89");
  });

  it.each(HOSTILE)("shows %j as text", async (text) => {
    answering(answers(text));
    const page = await visit(reading, "t1", { against: "t2" });
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Read it again, to compare")?.click();
    await settled();
    await unfold(page);
    expect(page.querySelectorAll("img, script, iframe, svg[onload], b")).toHaveLength(0);
    expect(page.querySelector("h1")?.textContent).toBe(text);
  });
});
