// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import { ledger } from "../../../../server/ragd/api/dashboard/app/pages/ledger.js";
import { ledgers } from "../../../../server/ragd/api/dashboard/app/pages/ledgers.js";
import { HOSTILE, answering, settled, unfold, visit } from "./fixtures";

const page = (items: readonly unknown[]) => ({ items, total: items.length, page: 1, page_size: 50 });
const result = (text: string) => ({
  ...{ added: 3, updated: 0, unchanged: 4, moved: 0, deleted: 1, skipped: 2, ignored: 0, failed_count: 1, chunks: 9 },
  failed: [{ source: text, code: text, message: text }],
});
const source = (text: string, changed: object = {}) => ({
  id: "s1",
  type: "confluence",
  name: text,
  collection: text,
  enabled: true,
  state: "idle",
  waits_for_token: false,
  due_at: null,
  document_count: 7,
  notice: null,
  last_finished_at: "2026-11-24T04:00:00.000Z",
  last_result: result(text),
  last_error: null,
  ...changed,
});
const cycle = (text: string, changed: object = {}) => ({
  ...{ id: "y1", kind: "full", phase: "done", started_at: "2026-11-24T04:00:00.000Z", finished_at: null, remote: 10 },
  ...{ indexed: 7, added: 3, updated: 0, unchanged: 4, deleted: 1, skipped_count: 3, skipped: [], held: 0, embedded: 3 },
  ...{ requests: 12, throttled_s: 2, active_s: 3.5, complete: true, notice: text, ...changed },
});
const item = (text: string, reason: string | null, id = "page/1") => ({
  ...{ id, kind: "page", title: text, container: text, owner: null, state: "skipped", reason, message: text },
  ...{ version: text, remote_updated_at: "2026-11-24T04:00:00.000Z", fetched_at: null },
});

const answers = (text: string) => ({
  "GET /api/sources": page([
    source(text),
    source(text, { id: "s2", type: "folder", last_error: text }),
    source(text, { enabled: false }),
  ]),
  "GET /api/sources/s1": source(text),
  "GET /api/sources/s1/ledger": {
    cycles: [cycle(text), cycle(text, { phase: "failed" }), cycle(text, { complete: false })],
    counts: { indexed: 7, skipped: 2 },
  },
  "GET /api/sources/s1/ledger/items": page([item(text, "forbidden"), item(text, "filtered", "page/2")]),
  "GET /api/sources/s2": source(text, { id: "s2", type: "folder" }),
  "GET /api/sources/s2/ledger": { cycles: [], counts: {} },
  "GET /api/sources/s2/ledger/items": page([]),
  "POST /api/sources/s1/retry": { job_id: "j1" },
  "POST /api/sources/s1/sync": { job_id: "j1" },
});

const button = (root: HTMLElement, label: string) =>
  [...root.querySelectorAll("button")].find((one) => (one.getAttribute("aria-label") ?? one.textContent) === label);

describe("the ledger of a source", () => {
  it("accounts for each reading", async () => {
    answering(answers("wiki"));
    const root = await visit(ledger, "s1");
    const states = [...root.querySelectorAll('[aria-label="Readings"] .badge')].map(({ textContent }) => textContent);
    expect(states).toEqual(["Complete", "Failed", "Not complete"]);
    const first = root.querySelector('[aria-label="Readings"] tbody tr');
    expect([...(first?.querySelectorAll(".number") ?? [])].map(({ textContent }) => textContent)).toEqual([
      "10",
      "7",
      "3",
      "0",
      "3",
      "0",
      "1",
      "12",
      "3,500 ms",
      "2,000 ms",
    ]);
  });

  it("says what to do about an item, and tries it again, unless a rule leaves it out", async () => {
    const sent = answering(answers("wiki"));
    const root = await visit(ledger, "s1");
    expect(root.textContent).toContain("Give the account the right to read it");
    const rows = [...root.querySelectorAll<HTMLElement>('[aria-label="Left out"] tbody tr')];
    expect(rows.map((row) => row.querySelectorAll("button").length)).toEqual([1, 0]);
    button(root, "Try again: wiki")?.click();
    await settled();
    expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/sources/s1/retry", body: { items: ["page/1"] } });
    button(root, "Try all again")?.click();
    await settled();
    expect(sent.at(-1)?.body).toEqual({ items: null });
  });

  it("deletes what is held back only after a question", async () => {
    const sent = answering(answers("wiki"));
    const root = await visit(ledger, "s1", { state: "held" });
    const before = sent.length;
    button(root, "Delete them here, too")?.click();
    expect(root.querySelector(".asked")?.textContent).toContain("Delete from");
    button(root, "Cancel")?.click();
    await settled();
    expect(root.querySelector(".asked")).toBeNull();
    expect(sent.length).toBe(before);
    button(root, "Delete them here, too")?.click();
    root.querySelector<HTMLButtonElement>(".asked button")?.click();
    await settled();
    expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/sources/s1/sync", body: { allow_empty: true } });
  });

  it("of a folder shows the files that could not be read, and reads one again, unless it is no more", async () => {
    const documents = page([
      { id: "d0", source: "b/a.pdf" },
      { id: "d1", source: "a.pdf" },
    ]);
    const known = { ...answers("a.pdf"), "GET /api/documents": documents, "POST /api/documents/d1/reindex": { job_id: "j1" } };
    const sent = answering(known);
    const root = await visit(ledger, "s2");
    button(root, "Read again: a.pdf")?.click();
    await settled();
    expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/documents/d1/reindex" });
    documents.items = [];
    button(root, "Read again: a.pdf")?.click();
    await settled();
    expect(root.querySelector("[role=alert]")?.textContent).toBe("It is no longer among the documents that failed.");
  });
});

it("every source has its state, what it brought, and a button that reads it", async () => {
  const sent = answering(answers("wiki"));
  const root = await visit(ledgers);
  expect(root.textContent).toContain("added 3, deleted 1, unchanged 4, left out 2, failed 1");
  const states = [...root.querySelectorAll(".badge")].map(({ textContent }) => textContent);
  expect(states).toEqual(["Look at it", "Failed", "Paused"]);
  button(root, "Read now: wiki")?.click();
  await settled();
  expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/sources/s1/sync", body: {} });
});

it.each(HOSTILE)("takes %j for text", async (text) => {
  answering(answers(text));
  const pages = [
    await visit(ledgers),
    await visit(ledger, "s1"),
    await visit(ledger, "s1", { state: "indexed" }),
    await visit(ledger, "s2"),
  ];
  for (const root of pages) {
    document.body.replaceChildren(root);
    await unfold(root);
    expect(root.querySelectorAll("script, iframe, img, b, svg, [onload], [onerror]")).toHaveLength(0);
    expect(root.textContent).toContain(text);
    for (const link of root.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^#\//);
  }
});
