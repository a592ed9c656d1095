// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import { attention, trouble } from "../../../../server/ragd/api/dashboard/app/pages/attention.js";
import { document as documentPage, places } from "../../../../server/ragd/api/dashboard/app/pages/document.js";
import { documents } from "../../../../server/ragd/api/dashboard/app/pages/documents.js";
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

function answers(text: string) {
  const chunks = [chunk(0, `${text} one`), chunk(1, `${text} two`, { enrichment: { provider: text } })];
  return {
    "GET /api/documents/d1": documentOf(text),
    "GET /api/documents/d1/content": { id: "d1", markdown: `# head\n${text} one\nbetween\n${text} two\n` },
    "GET /api/documents/d1/chunks": { items: chunks, total: 2, page: 1, page_size: 50 },
    "GET /api/documents": {
      items: [documentOf(text, { status: "failed", error: { code: "PARSE_FAILED", message: text } })],
      total: 1,
      page: 1,
      page_size: 20,
    },
    "GET /api/collections": { items: [{ name: text }], total: 1, page: 1, page_size: 100 },
    "GET /api/status": { counts: { documents: 1, chunks: 2 }, notices: [text], disk_free: 1_000_000, data_dir: text },
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

describe("what needs attention", () => {
  it("has the action that mends it on each row", async () => {
    const sent = answering(answers("Guide"));
    const page = await visit(attention);
    await settled();
    vi.stubGlobal("confirm", () => true);
    const names = ["Read again: Guide", "Delete: Guide", "Read now: Guide"];
    for (const name of names) page.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`)?.click();
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Rebuild the indexes")?.click();
    await settled();
    expect(sent.slice(-4).map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/documents/d1/reindex",
      "DELETE /api/documents/d1",
      "POST /api/sources/s1/sync",
      "POST /api/reindex",
    ]);
    expect(page.textContent).toContain("Free some space");
  });

  it("deletes nothing without a yes, and says what goes wrong beside the button", async () => {
    const known = Object.entries(answers("Guide")).filter(([key]) => key !== "POST /api/reindex");
    const sent = answering(Object.fromEntries(known));
    const page = await visit(attention);
    await settled();
    vi.stubGlobal("confirm", () => false);
    page.querySelector<HTMLButtonElement>('button[aria-label="Delete: Guide"]')?.click();
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Rebuild the indexes")?.click();
    await settled();
    expect(sent.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(page.querySelector(".said [role=alert]")?.textContent).toBe("nothing answers POST /api/reindex");
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

describe.each(HOSTILE)("with %j in every text", (text) => {
  it.each([
    ["a document", documentPage, "d1"],
    ["documents", documents, ""],
    ["attention", attention, ""],
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
