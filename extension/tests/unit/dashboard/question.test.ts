// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import { question } from "../../../../server/ragd/api/dashboard/app/pages/question.js";
import { questions } from "../../../../server/ragd/api/dashboard/app/pages/questions.js";
import { compared } from "../../../../server/ragd/api/dashboard/app/parts/replay.js";
import { HOSTILE, answering, flowOf, settled, traceOf, unfold, visit } from "./fixtures";

const SETTINGS = {
  items: [
    { name: "rerank.top_n", value: 30, default: 30, rule: { type: "integer", minimum: 1 } },
    { name: "retrieval.strategy", value: "hybrid", default: "hybrid", rule: { type: "string", enum: ["hybrid", "dense_only"] } },
    { name: "retrieval.merge_neighbours", value: true, default: true, rule: { type: "boolean" } },
    { name: "retrieval.min_score", value: 0, default: 0, rule: { type: "number", minimum: 0, maximum: 1 } },
  ],
};

const REPLAY = {
  trace_id: "t1",
  replay: "t2",
  same: false,
  notes: ["a note"],
  settings: [{ name: "rerank.top_n", before: null, after: 2 }],
  plan: [],
  providers: [],
  lists: [{ name: "fusion", before: 2, after: 1, kept: 1, entered: [], left: ["c2"], moved: 1, score_drift: 0 }],
  candidates: [
    {
      chunk_id: "c1",
      before: { fusion: { rank: 2, score: 0.1 } },
      after: { fusion: { rank: 1, score: 0.2 } },
      live: true,
      document: null,
    },
    { chunk_id: "c2", before: { fusion: { rank: 1, score: 0.3 } }, after: {}, live: true, document: null },
  ],
  times: [{ name: "total", before: 20, after: 10 }],
  confidence: { before: 0.4, after: null },
  documents: [{ doc_id: "d1", source: "a.md", state: "changed" }],
};

function answers(text: string) {
  return {
    "GET /api/traces/t1": traceOf(text),
    "GET /api/traces/t1/flow": flowOf(text),
    "GET /api/settings": SETTINGS,
    "POST /api/traces/t1/replay": REPLAY,
    "GET /api/traces/t1/whereabouts": {
      total: 7,
      documents: [
        {
          doc_id: "d1",
          source: text,
          title: text,
          collection: text,
          in_answer: false,
          chunk_ids: [],
          reasons: [
            { code: "filtered", values: { filter: "source", value: [text] } },
            { code: "failed", values: { message: text } },
            { code: "beyond_top_k", values: { list: "fusion", rank: 9, place: text } },
            { code: "of a later version", values: {} },
          ],
        },
      ],
    },
  };
}

describe("a question", () => {
  it("becomes a case of evaluation with the passages of its answer", async () => {
    const sent = answering({ ...answers("Which port?"), "POST /api/feedback": { id: "f1" } });
    const page = await visit(question, "t1");
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Make this an evaluation case")?.click();
    await settled();
    const body = {
      question: "Which port?",
      verdict: "up",
      chunk_ids: ["c1"],
      trace_id: "t1",
      filters: { source: ["Which port?"] },
    };
    expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/feedback", body });
    expect(page.textContent).toContain("It is a case now");
  });

  it("says that reranking ran out of time", async () => {
    const trace = traceOf("Which port?");
    const events = [
      ...trace.events.filter(({ kind }) => kind !== "degraded"),
      { ts_ms: 1, span_id: "s3", kind: "rerank.ranked", payload: { scored: 2, offered: 30, candidates: [] } },
    ];
    answering({ ...answers("Which port?"), "GET /api/traces/t1": { ...trace, events } });
    expect((await visit(question, "t1")).textContent).toContain("Reranking ran out of time: 2 of 30 passages");
  });

  it("shows what a provider that nobody here knows has left, by the contract alone", async () => {
    answering(answers("stranger-engine"));
    const page = await visit(question, "t1");
    await unfold(page);
    const text = page.textContent;
    for (const seen of ["stranger-engine (dense)", "ext.stranger.depth", "stranger.looked", "note", "stranger"])
      expect(text).toContain(seen);
    expect(page.querySelectorAll("svg.bar")).toHaveLength(3);
  });

  it("draws each passage as a line with its ranks, which arrow keys reach", async () => {
    answering(answers("Guide"));
    const page = await visit(question, "t1");
    document.body.replaceChildren(page);
    const lines = [...page.querySelectorAll<SVGGElement>(".flow [role=option]")];
    expect(lines).toHaveLength(3);
    const labels = lines.map((line) => line.getAttribute("aria-label"));
    expect(labels[2]).toBe("Guide · Guide: By meaning 2, stranger 1, Answer 1");
    expect(labels[1]).toContain("gone");
    const first = lines.find((line) => line.getAttribute("tabindex") === "0");
    first?.focus();
    first?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
    expect(document.activeElement).not.toBe(first);
    expect(document.activeElement?.getAttribute("aria-selected")).toBe("true");
    expect(first?.getAttribute("tabindex")).toBe("-1");
  });

  it("says why a document that is named is not in the answer", async () => {
    const sent = answering(answers("Guide"));
    const page = await visit(question, "t1");
    const input = page.querySelector<HTMLInputElement>("input[name=document]");
    if (!input) throw new Error("no input");
    input.value = "gui de";
    input.form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
    await settled();
    expect(sent.at(-1)?.path).toBe("/api/traces/t1/whereabouts?document=gui+de");
    expect(page.textContent).toContain("The filter source = Guide left it out.");
    expect(page.textContent).toContain("7 documents match");
    expect(page.textContent).toContain("of a later version");
  });

  it("asks again with settings chosen by their rules, and shows what differs", async () => {
    const sent = answering(answers("Guide"));
    const page = await visit(question, "t1");
    await settled();
    const pick = [...page.querySelectorAll("select")].at(-1);
    if (!pick) throw new Error("no list of settings");
    for (const { name } of SETTINGS.items) {
      pick.value = name;
      pick.dispatchEvent(new Event("change"));
    }
    const number = page.querySelector<HTMLInputElement>("input[type=number]");
    expect(number?.min).toBe("1");
    if (number) number.value = "2";
    page.querySelector<HTMLButtonElement>("button[aria-label='Leave retrieval.min_score as it is']")?.click();
    page.querySelector<HTMLButtonElement>("button.primary")?.form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
    await settled();
    expect(sent.at(-1)?.body).toEqual({
      settings: { "rerank.top_n": 2, "retrieval.strategy": "hybrid", "retrieval.merge_neighbours": true },
    });
    expect(page.textContent).toContain("The lists differ");
    const sides = page.querySelectorAll(".sides .flow");
    expect([...sides].map((side) => side.querySelectorAll("[role=option]").length)).toEqual([2, 1]);
  });

  it("shows of a replay which passages came and went", async () => {
    const shown = compared(REPLAY);
    await unfold(shown);
    expect([...shown.querySelectorAll("li")].map((item) => item.textContent)).toEqual(["c2"]);
    expect(shown.textContent).toContain("a.md");
  });

  it.each(HOSTILE)("takes %j for text wherever it stands", async (text) => {
    answering(answers(text));
    const page = await visit(question, "t1");
    document.body.replaceChildren(page);
    const input = page.querySelector<HTMLInputElement>("input[name=document]");
    input?.form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
    await settled();
    await unfold(page);
    expect(page.querySelectorAll("script, iframe, img, b, [onload], [onerror]")).toHaveLength(0);
    for (const link of page.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^#\//);
    expect(page.querySelector("h1")?.textContent).toBe(text);
    expect((globalThis as { hit?: number }).hit).toBeUndefined();
  });
});

describe("the list of questions", () => {
  const row = {
    trace_id: "t1",
    status: "ok",
    started_at: "2026-11-24T04:00:00.000Z",
    latency_ms: 20,
    results: 0,
    degraded: [],
    question: HOSTILE[0],
  };

  it("asks the daemon for one page of those that are wanted", async () => {
    const rows = [row, { ...row, results: 3, degraded: ["rerank"] }, { ...row, status: "error", results: null }];
    const sent = answering({
      "GET /api/traces": { items: rows, total: 10_000, page: 3, page_size: 20 },
      "GET /api/collections": { items: [] },
    });
    const page = await visit(questions, "", { text: "key & value", only: "slow", page: "3" });
    expect(sent[0]).toEqual({ method: "GET", path: "/api/traces?type=query&page=3&text=key+%26+value&only=slow" });
    expect([...page.querySelectorAll(".badge")].map((one) => one.textContent)).toEqual([
      "Nothing found",
      "Without: rerank",
      "Failed",
    ]);
    expect([...page.querySelectorAll(".pager a")].map((link) => link.getAttribute("href"))).toEqual([
      "#/questions?text=key+%26+value&only=slow&page=2",
      "#/questions?text=key+%26+value&only=slow&page=4",
    ]);
    expect(page.querySelectorAll("img")).toHaveLength(0);
  });
});

describe("an answer in words", () => {
  const sentence = (start: number, end: number, supported: boolean, citations: number[]) => ({
    start,
    end,
    score: 0.5,
    supported,
    citations,
  });
  const written = (text: string, more: object = {}) => {
    const trace = traceOf(text);
    const summary = {
      provider: text,
      model: text,
      found: true,
      finish: "length",
      removed_citations: 2,
      usage: { output_tokens: 7 },
      given: [
        { id: 1, chunk_ids: ["c0", "c1"] },
        { id: 2, chunk_ids: ["gone"] },
      ],
      support: [sentence(0, 3, true, [1]), sentence(4, 4 + Array.from(text).length, false, [])],
      ...more,
    };
    const prompt = { messages: [{ role: "system", text }] };
    const kept = "answer" in more ? [{ ts_ms: 1, span_id: "s3", kind: "generation.prompt", payload: prompt }] : [];
    trace.events.push({ ts_ms: 1, span_id: "s3", kind: "generation.summary", payload: summary }, ...kept);
    return { ...answers(text), "GET /api/traces/t1": trace };
  };

  it("has each sentence marked by what supports it, with the prompt that was sent", async () => {
    // A character of two code units: places are code points.
    answering(written("Sure.", { answer: "🚀0. Sure." }));
    const root = await visit(question, "t1");
    await unfold(root);
    const marks = [...root.querySelectorAll("mark")].map((one) => [one.className, one.firstChild?.textContent]);
    expect(marks).toEqual([
      ["good", "🚀0."],
      ["bad", "Sure."],
    ]);
    expect(root.textContent).toContain("1 of 2 sentences are not supported by the passages");
    expect(root.textContent).toContain("Ended: length");
    expect([...root.querySelectorAll("pre")].map(({ textContent }) => textContent)).toEqual(["Sure."]);
    const section = [...root.querySelectorAll("section")].find((one) => one.textContent.startsWith("Prompt and answer"));
    expect(section?.querySelector('a[href="#/documents/d1?chunk=c1"]')).not.toBeNull();
  });

  it("without its words still says which sentence which passage supports, and how to keep them", async () => {
    answering(written("Sure."));
    const root = await visit(question, "t1");
    const table = root.querySelector('[aria-label="Sentences of the answer"]');
    expect([...(table?.querySelectorAll(".badge") ?? [])].map(({ textContent }) => textContent)).toEqual([
      "Supported",
      "Not supported",
    ]);
    expect(root.textContent).toContain("observability.detail_level: verbose");
    expect(root.querySelectorAll("mark")).toHaveLength(0);
  });

  it("is no section of a question for which only passages were looked for", async () => {
    answering(answers("Sure."));
    expect((await visit(question, "t1")).textContent).not.toContain("Prompt and answer");
  });

  it.each(HOSTILE)("takes %j for text", async (text) => {
    answering(written(text, { answer: `0. ${text} ${text}` }));
    const root = await visit(question, "t1");
    document.body.replaceChildren(root);
    await unfold(root);
    expect(root.querySelectorAll("script, iframe, img, b, [onload], [onerror]")).toHaveLength(0);
    expect(root.querySelector(".answer")?.textContent).toContain(text);
  });
});
