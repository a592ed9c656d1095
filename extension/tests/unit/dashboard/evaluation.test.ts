// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import { evaluation } from "../../../../server/ragd/api/dashboard/app/pages/evaluation.js";
import { evaluations } from "../../../../server/ragd/api/dashboard/app/pages/evaluations.js";
import { HOSTILE, answering, unfold, visit } from "./fixtures";

const run = (text: string, run_id = "aaaaaaaabbbb") => ({
  run_id,
  name: text,
  dataset: text,
  dataset_hash: "0123456789",
  collection: text,
  strategy: text,
  strategy_config_id: "s",
  options: { mode: "retrieval_only", rerank: false, top_k: 20, limit: null },
  started_at: "2026-11-24T04:00:00.000Z",
  finished_at: "2026-11-24T04:00:00.000Z",
  metrics: {
    overall: { questions: 3, empty: 1, metrics: { "hit@1": 0.5, "ndcg@10": 0.75 }, latency_ms: { p50: 9, p95: 40 } },
    groups: {},
  },
});
const figure = { metric: "ndcg@10", counted: 3, mean: 0.75, low: 0.4, high: 1 };
const question = (text: string) => ({
  id: text,
  query: text,
  groups: {},
  relevant: [
    { source: text, place: { lines: [3, 9] }, grade: 1, rank: null },
    { source: text, place: { page: 2 }, grade: 1, rank: 3 },
  ],
  found: [{ chunk_id: "c", source: text, section: text, place: { line_range: [1, 1] }, score: 0.5 }],
  results: 20,
  latency_ms: 12,
  trace_id: "t1",
  metrics: { "ndcg@10": 0.25 },
});
const metric = (name: string, difference: number, p: number) => ({
  metric: name,
  first: 0.5,
  second: 0.5 + difference,
  difference,
  p,
  wins: 2,
  losses: 1,
});
const page = (items: readonly unknown[]) => ({ items, total: items.length, page: 1, page_size: 20 });

const around = (text: string) => ({
  "GET /api/evaluations/choices": {
    datasets: [text],
    strategies: ["default", text],
    tunable: [],
    answers_by: text,
    judges: [],
    metric_sets: [],
  },
  "GET /api/evaluations/jobs": page([]),
  "GET /api/collections": page([{ name: text, status: "enabled" }]),
});

const answers = (text: string) => ({
  ...around(text),
  "GET /api/evaluations": page([run(text), run(text, "ccccccccdddd"), { ...run(text, "eeeeeeeeffff"), dataset_hash: "other" }]),
  "GET /api/evaluations/aaaaaaaabbbb/figures": {
    run: run(text),
    main: "ndcg@10",
    metrics: [figure],
    groups: [{ ...figure, kind: text, group: text, questions: 2 }],
  },
  "GET /api/evaluations/aaaaaaaabbbb/questions": page([question(text)]),
  "GET /api/evaluations/aaaaaaaabbbb/comparison": {
    first: run(text),
    second: run(text, "ccccccccdddd"),
    questions: 3,
    metric: "ndcg@10",
    metrics: [metric("ndcg@10", 0.2, 0.01), metric("hit@1", -0.2, 0.02), metric("hit@5", 0.1, 0.4)],
    changed: page([{ id: text, query: text, first: 1, second: 0.5, difference: -0.5, first_trace: "t1", second_trace: "t2" }]),
  },
});

it("a strategy that was measured twice on a dataset has its line over time, others have none", async () => {
  const later = { ...run("golden", "bbbbbbbbcccc"), started_at: "2026-11-25T04:00:00.000Z" };
  const alone = { ...run("golden", "dddddddddddd"), strategy: "alone" };
  answering({ ...around("x"), "GET /api/evaluations": page([later, run("golden"), alone, run("other")]) });
  const drawn = await visit(evaluations);
  const figures = [...drawn.querySelectorAll("figure")];
  expect(figures.map((one) => one.querySelectorAll("polyline").length)).toEqual([1]);
  expect(figures[0]?.querySelector("polyline")?.getAttribute("points")?.split(" ")).toHaveLength(2);
  expect(figures[0]?.querySelector(".named")?.textContent).toBe("golden: 0.75 → 0.75");
});

describe("a run", () => {
  it("shows each metric with its interval, and of each question what was missed, with its trace", async () => {
    const sent = answering(answers("nightly"));
    const root = await visit(evaluation, "aaaaaaaabbbb");
    await unfold(root);
    expect(root.textContent).toContain("0.4 to 1");
    expect(root.textContent).toContain("Missed nightly, lines 3–9");
    expect(root.textContent).toContain("Rank 3 nightly, page 2");
    expect(root.querySelector('a[href="#/questions/t1"]')?.textContent).toBe("nightly");
    expect(root.querySelectorAll("svg.interval circle")).toHaveLength(2);
    expect(sent.find(({ path }) => path.includes("/questions"))?.path).toContain("metric=ndcg%4010&order=worst");
  });

  it("offers for comparison only runs of the same questions", async () => {
    answering(answers("nightly"));
    const root = await visit(evaluation, "aaaaaaaabbbb");
    const offered = [...root.querySelectorAll<HTMLOptionElement>('select[aria-label="The other run"] option')];
    expect(offered.map(({ value }) => value)).toEqual(["ccccccccdddd"]);
  });

  it("is compared metric by metric, with what can be chance, and leads to the traces of both", async () => {
    answering(answers("nightly"));
    const root = await visit(evaluation, "aaaaaaaabbbb", { against: "ccccccccdddd" });
    const verdicts = [...root.querySelectorAll(".badge")].map(({ textContent }) => textContent);
    expect(verdicts).toEqual(["Better", "Worse", "Can be chance"]);
    expect(root.textContent).toContain("+0.2");
    const traces = [...root.querySelectorAll("a")].map((link) => link.getAttribute("href"));
    expect(traces).toEqual(expect.arrayContaining(["#/questions/t1", "#/questions/t2", "#/evaluation/ccccccccdddd"]));
  });
});

it("other tools' figures stand beside ours of the same meaning, with who judged and at what cost", async () => {
  const of = (name: string, mean: number, counted = 3) => ({ ...figure, metric: name, mean, low: 0, high: 1, counted });
  const account = { provider: "openai", model: "m", calls: 7, missing: 2, stopped: "no calls left" };
  const options = {
    ...run("x").options,
    judge: {
      ...account,
      controls: { asked: 10, right: 7 },
      reliable: false,
      cached: 3,
      unparsable: 1,
      failed: 0,
      too_long: 0,
      stopped: "",
    },
    metric_sets: [{ ...account, name: "ragas", version: "0.4" }],
  };
  const theirs = [
    of("ragas:faithfulness", 0.5),
    of("deepeval:contextual_precision", 0.25),
    of("ragas:context_precision", 0.125, 2),
  ];
  const metrics = [of("faithfulness", 0.75), of("context_precision", 0.375), ...theirs];
  const figures = { run: { ...run("x"), options }, main: "faithfulness", metrics, groups: [] };
  answering({ ...answers("x"), "GET /api/evaluations/aaaaaaaabbbb/figures": figures });
  const root = await visit(evaluation, "aaaaaaaabbbb");
  const table = root.querySelector('[aria-label="Judges side by side"]');
  const cells = (one: Element) => [...one.children].map(({ textContent }) => textContent);
  expect([...(table?.querySelectorAll("tr") ?? [])].map(cells)).toEqual([
    ["Metric", "Our own judge", "ragas", "deepeval", "Questions"],
    ["faithfulness", "0.75 (0 to 1)", "0.5 (0 to 1)", "–", "3"],
    ["context_precision", "0.375 (0 to 1)", "0.125 (0 to 1)", "0.25 (0 to 1)", "2 to 3"],
  ]);
  expect(table?.querySelectorAll("svg.interval")).toHaveLength(5);
  // What stands there is not said once more above.
  const ours = [...root.querySelectorAll('[aria-label="Figures"] tbody th')].map(({ textContent }) => textContent);
  expect(ours).toEqual(["faithfulness", "context_precision"]);
  expect(root.textContent).toContain(
    "openai m; 7 of 10 control questions right; 7 calls, 3 verdicts of before; 1 verdicts missing" +
      " Often wrong: do not rely on its figures",
  );
  expect(root.textContent).toContain("ragas 0.4, openai m; 7 calls; 2 values missing; Not all was judged: no calls left");
});

it("where nothing was measured the command is said", async () => {
  answering({ ...around("x"), "GET /api/evaluations": page([]) });
  expect((await visit(evaluations)).textContent).toContain("rag eval run --dataset golden");
});

it.each(HOSTILE)("takes %j for text", async (text) => {
  answering(answers(text));
  const pages = [
    await visit(evaluations),
    await visit(evaluation, "aaaaaaaabbbb"),
    await visit(evaluation, "aaaaaaaabbbb", { against: "ccccccccdddd" }),
  ];
  for (const root of pages) {
    document.body.replaceChildren(root);
    await unfold(root);
    expect(root.querySelectorAll("script, iframe, img, b, svg:not(.interval):not(.trend), [onload], [onerror]")).toHaveLength(0);
    expect(root.textContent).toContain(text);
  }
});
