// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import { trouble } from "../../../../server/ragd/api/dashboard/app/pages/attention.js";
import { document as documentPage, places } from "../../../../server/ragd/api/dashboard/app/pages/document.js";
import { documents } from "../../../../server/ragd/api/dashboard/app/pages/documents.js";
import { overview } from "../../../../server/ragd/api/dashboard/app/pages/overview.js";
import { diff, lines } from "../../../../server/ragd/api/dashboard/app/parts/diff.js";
import { HOSTILE, answering, settled, unfold, visit } from "./fixtures";

function documentOf(text: string, more: object = {}) {
  return {
    id: "d1",
    collection: text,
    source: text,
    source_uri: text,
    title: text,
    doc_type: "markdown",
    language: "en",
    status: "ready",
    size: 2000,
    chunk_count: 2,
    version_id: "v1",
    updated_at: "2026-11-24T04:00:00.000Z",
    summary: text,
    tags: [text],
    keywords: [text],
    warnings: [text],
    metadata: { [text]: text },
    versions: [
      {
        version_id: "v1",
        status: "ready",
        loader: text,
        loader_version: "1",
        section_count: 1,
        chunk_count: 2,
        created_at: "",
        ready_at: "2026-11-24T04:00:00.000Z",
      },
    ],
    ...more,
  };
}

const chunk = (ordinal: number, content: string, more: object = {}) => ({
  chunk_id: `c${ordinal}`,
  ordinal,
  section_id: "s",
  section_path: [content],
  content,
  image_refs: [],
  ...more,
});

const growth = { total: 2000, day: 1, month: 2 };
const activity = { count: 9, p50_ms: 20, p95_ms: 40, failed: 0, degraded: 3, nothing_found: 0 };
const run = (run_id: string, text: string) => ({
  ...{ run_id, dataset: text, dataset_hash: "h", strategy: text },
  options: { mode: "retrieval_only" },
});

function answers(text: string) {
  const chunks = [chunk(0, `${text} one`), chunk(1, `${text} two`, { enrichment: { provider: text } })];
  return {
    "GET /api/documents/d1": documentOf(text),
    "GET /api/documents/d1/content": { id: "d1", markdown: `# head\n${text} one\nbetween\n${text} two\n` },
    "GET /api/documents/d1/chunks": { items: chunks, total: 2, page: 1, page_size: 50 },
    "GET /api/traces": {
      items: [{ trace_id: "t1", question: text, started_at: "", latency_ms: 1, status: "ok", document: null }],
      total: 1,
    },
    "GET /api/documents": {
      items: [documentOf(text, { status: "failed", error: { code: "PARSE_FAILED", message: text } })],
      total: 1,
      page: 1,
      page_size: 20,
    },
    "GET /api/collections": { items: [{ name: text }], total: 1, page: 1, page_size: 100 },
    "GET /api/status": {
      version: text,
      model: { provider: text, id: text },
      reranker: { provider: text },
      llm: { provider: text, model: text },
      stores: { facts: text, dense: text, sparse: text },
      token_index: { provider: text, building: { done: 1, total: 2 } },
      notices: [text],
      disk_free: 1_000_000,
      data_dir: text,
    },
    "GET /api/overview": {
      documents: growth,
      chunks: growth,
      pictures: growth,
      queries: { day: activity, month: activity },
      ingestions: { day: activity, month: activity },
      cache: { hits: 3, misses: 1 },
    },
    "GET /api/evaluations": { items: [run("r2", text), run("r1", text)], total: 2, page: 1, page_size: 20 },
    "GET /api/evaluations/r1/comparison": {
      metrics: [
        { metric: text, first: 0.9, second: 0.7, difference: -0.2, p: 0.01 },
        { metric: "by chance", first: 0.9, second: 0.8, difference: -0.1, p: 0.3 },
        { metric: "better", first: 0.7, second: 0.9, difference: 0.2, p: 0.01 },
      ],
    },
    "GET /api/sources": { items: [{ id: "s1", name: text, enabled: true, last_error: text }], total: 1, page: 1, page_size: 100 },
    "GET /api/jobs": { items: [{ kind: text, status: "failed", collection: text, error: { message: text } }], total: 1 },
    "GET /api/checks": {
      checks: [
        { name: "engine", level: "ok", message: text, mend: "" },
        { name: "indexes", level: "warn", message: text, mend: "rag reindex" },
        { name: text, level: "fail", message: text, mend: text },
      ],
    },
    "POST /api/documents/d1/reindex": {},
    "POST /api/sources/s1/sync": {},
    "POST /api/reindex": {},
    "DELETE /api/documents/d1": undefined,
  };
}

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
});

describe("a document", () => {
  it("has the borders of its chunks drawn in what was read", async () => {
    answering(answers("Guide"));
    const page = await visit(documentPage, "d1");
    expect([...page.querySelectorAll(".chunk")].map((one) => one.lastChild?.textContent)).toEqual(["Guide one", "Guide two"]);
    expect(page.querySelector(".between")?.textContent).toBe("\nbetween\n");
  });

  it("tells of a chunk what it is when it is chosen, and begins with the one that was asked for", async () => {
    answering(answers("Guide"));
    const page = await visit(documentPage, "d1", { chunk: "c1" });
    const details = page.querySelector(".details");
    expect(details?.querySelector("h3")?.textContent).toBe("Chunk 2");
    page.querySelector<HTMLButtonElement>(".chunk button")?.click();
    expect(details?.querySelector("h3")?.textContent).toBe("Chunk 1");
  });

  it("names the questions that came upon a chunk", async () => {
    const sent = answering(answers("Guide"));
    const page = await visit(documentPage, "d1");
    const details = page.querySelector<HTMLDetailsElement>(".details details");
    if (details) details.open = true;
    details?.dispatchEvent(new Event("toggle"));
    await settled();
    expect(sent.at(-1)?.path).toBe("/api/traces?chunk_id=c0&page_size=20");
    expect(details?.querySelector("a")?.getAttribute("href")).toBe("#/questions/t1");
  });

  it("places overlapping chunks, the same text twice, and none for what is not there letter by letter", () => {
    const chunks = ["abc", "bcd", "xyz", "abc", ""].map((content) => ({ content }));
    expect(places("abcd abc", chunks)).toEqual([
      { start: 0, end: 3 },
      { start: 1, end: 4 },
      undefined,
      { start: 5, end: 8 },
      undefined,
    ]);
  });

  it("is asked for by its page of chunks, also among thousands", async () => {
    const many = (page: number) => Array.from({ length: 50 }, (_, index) => chunk((page - 1) * 50 + index, `text ${index}`));
    const sent = answering({
      ...answers("Guide"),
      "GET /api/documents/d1/chunks": { items: many(3), total: 5000, page: 3, page_size: 50 },
    });
    const page = await visit(documentPage, "d1", { page: "3" });
    expect(sent.map(({ path }) => path)).toContain("/api/documents/d1/chunks?page=3&page_size=50");
    expect([...page.querySelectorAll(".pager a")].map((link) => link.getAttribute("href"))).toEqual([
      "#/documents/d1?page=2",
      "#/documents/d1?page=4",
    ]);
  });
});

describe("the list of documents", () => {
  it("names none that one may not see", async () => {
    const hidden = documentOf("", { restricted: true });
    answering({ ...answers("x"), "GET /api/documents": { items: [hidden], total: 100_000, page: 1, page_size: 50 } });
    const page = await visit(documents);
    expect(page.querySelector("tbody th")?.textContent).toBe("A document that you may not see");
    expect(page.querySelectorAll("tbody a")).toHaveLength(0);
    expect(page.querySelector(".pager")?.textContent).toContain("2,000");
  });
});

describe("two texts", () => {
  it("differ line by line", () => {
    const found = lines("a\nb\nc\nd", "a\nc\nx\nd")?.map(({ kind, text }) => `${kind} ${text}`);
    expect(found).toEqual(["same a", "gone b", "same c", "new x", "same d"]);
    expect(lines("a", "a")).toEqual([{ kind: "same", text: "a" }]);
    expect(lines("", "a\nb")?.map(({ kind }) => kind)).toEqual(["gone", "new", "new"]);
  });

  it("are not compared where that would take too long", () => {
    const many = (name: string) => Array.from({ length: 3000 }, (_, index) => `${name} ${index}`).join("\n");
    expect(lines(many("a"), many("b"))).toBeUndefined();
    expect(diff(many("a"), many("b")).textContent).toContain("Too much differs");
  });

  it("show what is near a change, and leave out the rest", () => {
    const before = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const after = before.map((line, index) => (index === 20 ? "<b>other</b>" : line));
    const shown = diff(before.join("\n"), after.join("\n"));
    expect([...shown.querySelectorAll("del, ins")].map(({ textContent }) => textContent)).toEqual([
      "− line 20",
      "+ <b>other</b>",
    ]);
    expect(shown.querySelectorAll(".diff > *")).toHaveLength(7);
  });
});

describe("what needs attention", () => {
  it("has the action that mends it on each row", async () => {
    const sent = answering(answers("Guide"));
    const page = await visit(overview);
    await settled();
    const names = ["Read again: Guide", "Delete: Guide", "Read now: Guide"];
    for (const name of names) page.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`)?.click();
    page.querySelector<HTMLButtonElement>(".asked button")?.click();
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Rebuild the indexes")?.click();
    await settled();
    expect(sent.slice(-4).map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/documents/d1/reindex",
      "POST /api/sources/s1/sync",
      "DELETE /api/documents/d1",
      "POST /api/reindex",
    ]);
    expect(page.textContent).toContain("Free some space");
  });

  it("deletes nothing without a yes, and says what goes wrong beside the button", async () => {
    const known = Object.entries(answers("Guide")).filter(([key]) => key !== "POST /api/reindex");
    const sent = answering(Object.fromEntries(known));
    const page = await visit(overview);
    await settled();
    page.querySelector<HTMLButtonElement>('button[aria-label="Delete: Guide"]')?.click();
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Rebuild the indexes")?.click();
    await settled();
    expect(sent.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(page.querySelector(".said [role=alert]")?.textContent).toBe("nothing answers POST /api/reindex");
  });

  it("says what fell since the run before, and nothing of what chance explains", async () => {
    answering(answers("Guide"));
    const page = await visit(overview);
    await settled();
    const rows = [...page.querySelectorAll('[aria-label="Answers became worse"] tbody tr')];
    expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent).slice(0, 3))).toEqual([
      ["Guide", "0.9", "0.7"],
    ]);
    expect(rows[0]?.querySelector("a")?.getAttribute("href")).toBe("#/evaluation/r1?against=r2");
  });

  it("stands below what there is, and above how questions went, which leads to those that went badly", async () => {
    answering(answers("Guide"));
    const page = await visit(overview);
    expect([...page.querySelectorAll(".figure")].map(({ textContent }) => textContent)).toEqual(["2,000", "2,000", "2,000"]);
    const links = [...page.querySelectorAll('[aria-label="Questions and ingestions"] a')];
    expect(links.map((link) => link.getAttribute("href"))).toEqual(Array(2).fill("#/questions?only=degraded"));
    expect(page.textContent).toContain("3 of 4 vectors");
  });

  it("knows when a source is late, waits, or failed", () => {
    const now = Date.parse("2026-11-24T04:00:00Z");
    const source = { enabled: true, last_error: null, due_at: null, last_result: null, notice: null, waits_for_token: false };
    expect(trouble(source, now)).toBe("");
    expect(trouble({ ...source, due_at: "2026-11-24T03:50:00Z" }, now)).toBe("");
    expect(trouble({ ...source, due_at: "2026-11-24T03:40:00Z" }, now)).toContain("It was to be read");
    expect(trouble({ ...source, enabled: false, due_at: "2026-11-24T03:40:00Z" }, now)).toBe("");
    expect(trouble({ ...source, last_error: "no such host" }, now)).toBe("no such host");
    expect(trouble({ ...source, waits_for_token: true }, now)).toContain("token");
    expect(trouble({ ...source, last_result: { failed_count: 3, held: 0 } }, now)).toContain("3 of its files");
    expect(trouble({ ...source, last_result: { failed_count: 0, held: 9 } }, now)).toContain("9 documents");
  });
});

it("the regions of a page's chunks have borders over its picture, and a click chooses one", async () => {
  URL.createObjectURL = () => "blob:page";
  const placed = (ordinal: number, page: number) =>
    chunk(ordinal, `Guide ${ordinal}`, { page, bbox: [0.1, 0.2 * ordinal, 0.9, 0.5] });
  answering({
    ...answers("Guide"),
    "GET /api/documents/d1/chunks": { items: [placed(0, 3), placed(1, 3), placed(2, 4)], total: 3, page: 1, page_size: 50 },
    "GET /api/documents/d1/pages/3": new ArrayBuffer(1),
  });
  const drawn = await visit(documentPage, "d1");
  await settled();
  const regions = () => [...drawn.querySelectorAll("rect")].map((one) => [one.getAttribute("class"), one.textContent]);
  expect(regions()).toEqual([
    ["region chosen", "Chunk 1"],
    ["region", "Chunk 2"],
  ]);
  expect(drawn.querySelectorAll("rect")[1]?.getAttribute("height")).toBe("0.3");
  drawn.querySelectorAll("rect")[1]?.dispatchEvent(new Event("click"));
  await settled();
  expect(drawn.querySelector(".details h3")?.textContent).toBe("Chunk 2");
  expect(regions()[1]).toEqual(["region chosen", "Chunk 2"]);
});

describe.each(HOSTILE)("with %j in every text", (text) => {
  it.each([
    ["a document", documentPage, "d1"],
    ["documents", documents, ""],
    ["overview", overview, ""],
  ] as const)("%s shows it as text", async (_, page, id) => {
    answering(answers(text));
    const drawn = await visit(page, id);
    document.body.replaceChildren(drawn);
    await settled();
    await unfold(drawn);
    expect(drawn.querySelectorAll("script, iframe, img, b, svg, [onload], [onerror]")).toHaveLength(0);
    for (const link of drawn.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^#\//);
    expect(drawn.textContent).toContain(text);
    expect((globalThis as { hit?: number }).hit).toBeUndefined();
  });
});
