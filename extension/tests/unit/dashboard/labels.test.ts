// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";

import { labelling } from "../../../../server/ragd/api/dashboard/app/pages/labelling.js";
import { labels } from "../../../../server/ragd/api/dashboard/app/pages/labels.js";
import { ApiError, useTransport } from "../../../../server/ragd/api/dashboard/app/lib/api.js";
import { HOSTILE, answering, settled, unfold, visit } from "./fixtures";

const passage = (text: string, chunk_id = "c1") => ({
  chunk_id,
  doc_id: "d1",
  collection: text,
  source: text,
  title: text,
  place: text,
  text,
  end: chunk_id === "c1" ? "context" : "beyond_top_k",
});
const label = (text: string, changed: object = {}) => ({
  label_id: "l1",
  question_id: "q1",
  question: text,
  collection: text,
  author: text,
  position: 1,
  grade: 1,
  created_at: "2026-11-24T04:00:00.000Z",
  trace_id: null,
  restricted: false,
  state: "there",
  doc_id: "d1",
  title: text,
  source: text,
  section: text,
  place: { lines: [3, 5] },
  chunk_id: "c1",
  text,
  ...changed,
});
const page = (items: readonly unknown[]) => ({ items, total: items.length, page: 1, page_size: 20 });
const pair = (text: string) => ({
  first: text,
  second: "grace",
  passages: 4,
  agreed: 0.75,
  kappa: 0.6,
  low: -0.123,
  high: 1,
  weighted_kappa: null,
  table: [
    [2, 0, 0],
    [0, 0, 0],
    [0, 1, 1],
  ],
});

const answers = (text: string) => ({
  "GET /api/traces/t1/passages": { trace_id: "t1", query: text, passages: [passage(text), passage(text, "c2")] },
  "GET /api/collections": page([{ name: text, status: "enabled" }]),
  "GET /api/labels": page([label(text), label(text, { label_id: "l0", chunk_id: null, text: null, state: "changed" })]),
  "POST /api/labels": label(text, { label_id: "l2" }),
  "DELETE /api/labels/l2": undefined,
  "POST /api/query": { results: [{ ...passage(text, "c3"), content: text, section_path: [text], page: 4 }] },
  "GET /api/labels/questions": page([
    { question_id: "q1", question: text, collection: text, authors: { [text]: 3 }, last_at: "2026-11-24T04:00:00.000Z" },
  ]),
  "GET /api/labels/agreement": { pairs: [pair(text)] },
});

const chosen = (root: HTMLElement) =>
  [...root.querySelectorAll("article")].map((card) => card.querySelector<HTMLInputElement>("input:checked")?.value);

function choose(root: HTMLElement, card: number, grade: string): void {
  const radio = root.querySelectorAll("article")[card]?.querySelector<HTMLInputElement>(`input[value="${grade}"]`);
  if (!radio) throw new Error("no such grade");
  radio.checked = true;
  radio.dispatchEvent(new Event("change"));
}

beforeEach(() => localStorage.clear());

describe("a question whose passages are judged", () => {
  it("shows what I judged before, and keeps what I judge now in my name", async () => {
    const sent = answering(answers("why?"));
    localStorage.setItem("ragd.dashboard.labeller", "Ada");
    const root = await visit(labelling, "mark", { trace: "t1" });
    expect(chosen(root)).toEqual(["1", ""]);
    expect(sent.find(({ path }) => path.startsWith("/api/labels?"))?.path).toContain("mine=true&page_size=100&author=Ada");
    choose(root, 1, "0");
    await settled();
    const body = { question: "why?", collection: "why?", chunk_id: "c2", grade: 0, author: "Ada", trace_id: "t1" };
    expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/labels", body });
    expect(root.textContent).toContain("2 of 2 passages judged");
  });

  it("takes the last mark back, and before it those of earlier", async () => {
    const sent = answering({ ...answers("why?"), "DELETE /api/labels/l1": undefined, "DELETE /api/labels/l0": undefined });
    const root = await visit(labelling, "mark", { trace: "t1" });
    choose(root, 1, "2");
    await settled();
    const undo = [...root.querySelectorAll("button")].find(({ textContent }) => textContent === "Undo");
    for (let time = 0; time < 4; time += 1) {
      undo?.click();
      await settled();
    }
    const deleted = sent.filter(({ method }) => method === "DELETE").map(({ path }) => path);
    expect(deleted[0]).toBe("/api/labels/l2");
    expect(new Set(deleted)).toEqual(new Set(["/api/labels/l2", "/api/labels/l1", "/api/labels/l0"]));
    expect(undo?.disabled).toBe(true);
  });

  it("puts a choice back that could not be kept, and says why", async () => {
    const known: Record<string, unknown> = answers("why?");
    useTransport({
      send: ({ method, path }) =>
        method === "POST"
          ? Promise.reject(new Error("no room"))
          : Promise.resolve(known[`${method} ${path.split("?")[0] ?? ""}`]),
      watch: () => Promise.resolve(),
    });
    const root = await visit(labelling, "mark", { trace: "t1" });
    choose(root, 0, "2");
    await settled();
    expect(chosen(root)).toEqual(["1", ""]);
    expect(root.querySelector("[role=alert]")?.textContent).toBe("no room");
  });

  it("adds passages of a further search once", async () => {
    answering(answers("why?"));
    const root = await visit(labelling, "mark", { trace: "t1" });
    const text = root.querySelector<HTMLInputElement>("input[type=search]");
    if (text) text.value = "other words";
    for (const words of ["1 more passages stand above.", "All that was found stands above already."]) {
      text?.form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
      await settled();
      expect(root.textContent).toContain(words);
    }
    expect(root.querySelectorAll("article")).toHaveLength(3);
  });

  it("is searched where its trace is no more, and judged without it", async () => {
    const known: Record<string, unknown> = answers("how?");
    const sent: unknown[] = [];
    useTransport({
      send: ({ method, path, body }) => {
        if (method === "POST") sent.push(body);
        if (path.startsWith("/api/traces/")) return Promise.reject(new ApiError("TRACE_NOT_FOUND", "gone"));
        return Promise.resolve(known[`${method} ${path.split("?")[0] ?? ""}`]);
      },
      watch: () => Promise.resolve(),
    });
    const root = await visit(labelling, "mark", { trace: "t1", question: "how?" });
    expect(sent[0]).toEqual({ query: "how?", top_k: 20 });
    choose(root, 0, "2");
    await settled();
    expect(sent.at(-1)).toMatchObject({ question: "how?", grade: 2 });
    expect(sent.at(-1)).not.toHaveProperty("trace_id", "t1");
    await expect(visit(labelling, "mark", { trace: "t1" })).rejects.toThrow("gone");
  });

  it("begins with a search where there is no trace, and says that a text was not kept", async () => {
    const sent = answering(answers("why?"));
    await visit(labelling, "mark", { question: "how?", collection: "guides" });
    expect(sent[0]?.body).toEqual({ query: "how?", top_k: 20, collection: "guides" });
    answering({ ...answers("x"), "GET /api/traces/t1/passages": { trace_id: "t1", query: null, passages: [] } });
    const root = await visit(labelling, "mark", { trace: "t1" });
    expect(root.textContent).toContain("The text of this question was not kept.");
  });
});

it("agreement is said with its interval, and where it has none it is a dash", async () => {
  answering(answers("Ada"));
  const root = await visit(labels);
  await settled();
  await unfold(root);
  expect(root.textContent).toContain("75 %");
  expect(root.textContent).toContain("0.6 (-0.12 to 1)");
  const cells = [...root.querySelectorAll('[aria-label="Ada in rows, grace in columns"] tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
  expect(cells[0]).toEqual(["Answers it", "1", "1", "0"]);
});

it.each(HOSTILE)("takes %j for text", async (text) => {
  answering(answers(text));
  for (const root of [await visit(labels), await visit(labelling, "mark", { trace: "t1" })]) {
    document.body.replaceChildren(root);
    await settled();
    await unfold(root);
    expect(root.querySelectorAll("script, iframe, img, b, svg, [onload], [onerror]")).toHaveLength(0);
    expect(root.textContent).toContain(text);
    for (const link of root.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^#\//);
  }
});
