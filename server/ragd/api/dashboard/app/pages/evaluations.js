/** Runs, newest first, by `rag eval run` or begun here; and how to begin one. */

import { get, part } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { pager, quiet, section, table } from "../lib/parts.js";
import { duration, number, score, t, time } from "../lib/text.js";
import { measuringForms, measuringJobs } from "../parts/measuring.js";
import { trend } from "../parts/trend.js";

const MAIN = ["ndcg@10", "mrr@10", "hit@5", "hit@1", "refusal"];

/** The metric that stands for a run's quality. @param {Record<string, number>} metrics */
export const mainMetric = (metrics) => MAIN.find((name) => name in metrics) ?? Object.keys(metrics)[0] ?? "";

/** By what people know a run. @param {any} run */
export const runName = ({ name, strategy, run_id }) => `${name || strategy} (${run_id.slice(0, 8)})`;

/** @type {import("../dashboard.js").Page} */
export async function evaluations({ query, signal }) {
  const page = Number(query.get("page") ?? 1);
  const [choices, collections] = await Promise.all([
    get("/api/evaluations/choices", {}, signal),
    get("/api/collections", { page_size: 100 }, signal),
  ]);
  const runs = h("div", {});
  /** @param {number} to */
  const link = (to) => `#/evaluation?page=${to}`;
  async function show() {
    const found = await get("/api/evaluations", { page, page_size: 50 }, signal);
    runs.replaceChildren(
      ...trends(found.items).filter((one) => one !== null),
      section(t("Runs"), found.items.length === 0 ? nothing() : list(found.items)),
      pager(found, link) ?? "",
    );
  }
  const jobs = measuringJobs(signal, () => void show().catch(() => undefined));
  const [begun] = await Promise.all([jobs.refresh(), show()]);
  const last = begun.find(({ kind }) => kind === "evaluation") ?? null;
  return h(
    "div",
    {},
    h("h1", {}, t("Evaluation")),
    h("p", { class: "badges" }, h("a", { href: "#/datasets" }, t("Datasets of questions"))),
    section(
      t("Start an evaluation"),
      measuringForms(choices, collections.items, last, () => jobs.refresh()),
      jobs.element,
    ),
    runs,
  );
}

/** Of each dataset that was asked twice with one strategy. @param {readonly any[]} runs */
function trends(runs) {
  const datasets = [...new Set(runs.map(({ dataset }) => dataset))];
  return datasets.map((dataset) => {
    const of = runs.filter((run) => run.dataset === dataset);
    const main = mainMetric(of[0].metrics.overall.metrics);
    const points = of
      .filter(({ metrics }) => main in metrics.overall.metrics)
      .map(({ started_at, strategy, metrics }) => ({ at: started_at, strategy, value: metrics.overall.metrics[main] }));
    const drawn = trend(main, points);
    return drawn && section(dataset, drawn);
  });
}

function nothing() {
  return h(
    "div",
    {},
    quiet(t("Nothing was measured yet. A run asks the questions of a dataset and says how good the answers are:")),
    h("pre", { class: "commands" }, "rag eval run --dataset golden"),
  );
}

/** @param {readonly any[]} runs */
function list(runs) {
  const columns = [
    { title: t("Run") },
    { title: t("Dataset") },
    { title: t("Strategy") },
    { title: t("Questions"), isNumber: true },
    { title: t("Quality"), isNumber: true },
    { title: t("Time, 95 %"), isNumber: true },
    { title: t("Measured") },
  ];
  const rows = runs.map((run) => {
    const { questions, metrics, latency_ms } = run.metrics.overall;
    const main = mainMetric(metrics);
    return [
      h("a", { href: `#/evaluation/${part(run.run_id)}` }, runName(run)),
      run.dataset,
      run.strategy,
      number(questions),
      `${main} ${score(metrics[main])}`,
      duration(latency_ms.p95),
      time(run.started_at),
    ];
  });
  return table(t("Evaluation"), columns, rows);
}
