// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";

import { fetchTransport, useTransport } from "../../../../server/ragd/api/dashboard/app/lib/api.js";
import { ingestion } from "../../../../server/ragd/api/dashboard/app/pages/ingestion.js";
import { questions } from "../../../../server/ragd/api/dashboard/app/pages/questions.js";
import { HOSTILE, answering, settled, unfold, visit } from "./fixtures";

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

const answers = (text: string) => ({
  "GET /api/jobs": { items: [running(text), ended(text)], total: 2, page: 1, page_size: 20 },
  "GET /api/collections": { items: [{ name: text, status: "enabled" }], total: 1 },
  "GET /api/traces": { items: [], total: 0, page: 1, page_size: 20 },
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
  const sent = answering(answers("guides"));
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
