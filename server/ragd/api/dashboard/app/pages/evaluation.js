/** One run: its figures with intervals, its questions with their traces. */

import { get, part } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { badge, facts, folded, options, pager, quiet, section, table } from "../lib/parts.js";
import { duration, number, score, t, time } from "../lib/text.js";
import { intervalBar } from "../parts/intervals.js";
import { isOfTool, judgeFacts, sideBySide } from "../parts/judged.js";
import { placeText } from "../parts/places.js";
import { comparison } from "./comparison.js";
import { runName } from "./evaluations.js";

const ORDERS = ["worst", "best", "asked"];

/** @typedef {import("../dashboard.js").Visit} Visit */

/** @type {import("../dashboard.js").Page} */
export async function evaluation(visit) {
  return visit.query.get("against") ? comparison(visit) : oneRun(visit);
}

/** @param {Visit} visit */
async function oneRun({ id, query, signal, go }) {
  const path = `/api/evaluations/${part(id)}`;
  const found = await get(`${path}/figures`, {}, signal);
  const { run } = found;
  const asked = {
    metric: query.get("metric") || found.main,
    order: query.get("order") || "worst",
    text: query.get("text") ?? "",
  };
  const page = Number(query.get("page") ?? 1);
  const [questions, others] = await Promise.all([
    get(`${path}/questions`, { ...asked, page, page_size: 20 }, signal),
    get("/api/evaluations", { page_size: 100 }, signal),
  ]);
  /** @param {Record<string, string>} changed */
  const look = (changed) => go(`evaluation/${part(id)}`, { ...asked, ...changed });
  /** @param {number} to */
  const link = (to) => `#/evaluation/${part(id)}?${new URLSearchParams({ ...asked, page: String(to) })}`;
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/evaluation" }, t("Evaluation"))),
    h("h1", {}, runName(run)),
    about(run),
    section(
      t("Figures"),
      figureTable(found.metrics.filter((/** @type {any} */ one) => !isOfTool(one))),
      groupTable(found),
    ),
    sideBySide(found.metrics),
    section(t("Compare with another run"), compareForm(run, others.items, go)),
    section(
      t("Questions"),
      questionForm(asked, Object.keys(run.metrics.overall.metrics), look),
      questions.items.length === 0
        ? quiet(t("No question has this text."))
        : questionTable(questions.items, asked.metric),
      pager(questions, link),
    ),
  );
}

/** @param {any} run */
function about(run) {
  const { questions, empty, latency_ms } = run.metrics.overall;
  return facts([
    [t("Dataset"), `${run.dataset} (${run.dataset_hash.slice(0, 8)})`],
    [t("Collection"), run.collection || t("As each question was asked")],
    [t("Strategy"), `${run.strategy}${run.options.rerank ? "" : `, ${t("no reranking")}`}`],
    [t("Mode"), run.options.mode],
    [t("Questions"), number(questions)],
    [t("Nothing found"), number(empty)],
    [t("Time, half and 95 %"), `${duration(latency_ms.p50)}, ${duration(latency_ms.p95)}`],
    [t("Measured"), time(run.started_at)],
    ...judgeFacts(run.options),
  ]);
}

/** @param {readonly any[]} metrics */
function figureTable(metrics) {
  const columns = [
    { title: t("Metric") },
    { title: t("Mean"), isNumber: true },
    { title: t("95 % interval"), isNumber: true },
    { title: t("From 0 to 1") },
    { title: t("Questions"), isNumber: true },
  ];
  const rows = metrics.map((one) => [
    one.metric,
    score(one.mean),
    t("{0} to {1}", score(one.low), score(one.high)),
    intervalBar(one),
    number(one.counted),
  ]);
  return h(
    "div",
    {},
    table(t("Figures"), columns, rows),
    quiet(
      t("When the questions are drawn anew, the mean lies in the interval 95 times of 100 (bootstrap over questions)."),
    ),
  );
}

/** @param {{ main: string, groups: readonly any[] }} found */
function groupTable({ main, groups }) {
  if (groups.length === 0) return null;
  const columns = [
    { title: t("Group") },
    { title: main, isNumber: true },
    { title: t("95 % interval"), isNumber: true },
    { title: t("From 0 to 1") },
    { title: t("Questions"), isNumber: true },
  ];
  const rows = groups.map((one) => [
    `${one.kind}: ${one.group}`,
    score(one.mean),
    t("{0} to {1}", score(one.low), score(one.high)),
    intervalBar(one),
    number(one.questions),
  ]);
  return h("div", {}, h("h3", {}, t("By group")), table(t("By group"), columns, rows));
}

/**
 * @param {any} run
 * @param {readonly any[]} others
 * @param {Visit["go"]} go
 */
function compareForm(run, others, go) {
  const same = others.filter(({ run_id, dataset_hash }) => dataset_hash === run.dataset_hash && run_id !== run.run_id);
  if (same.length === 0) return quiet(t("There is no other run on the same questions."));
  const chosen = h(
    "select",
    { "aria-label": t("The other run") },
    ...same.map((one) => h("option", { value: one.run_id }, `${runName(one)}, ${time(one.started_at)}`)),
  );
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    go(`evaluation/${part(run.run_id)}`, { against: chosen.value });
  };
  return h("form", { class: "controls", onsubmit: submit }, chosen, h("button", {}, t("Compare")));
}

/**
 * @param {{ metric: string, order: string, text: string }} asked
 * @param {readonly string[]} metrics
 * @param {(changed: Record<string, string>) => void} look
 */
function questionForm(asked, metrics, look) {
  const text = h("input", {
    type: "search",
    value: asked.text,
    "aria-label": t("Part of the question"),
    placeholder: t("Part of the question"),
  });
  const metric = options(t("Metric"), metrics, asked.metric, String);
  const order = options(t("Order"), ORDERS, asked.order, orderText);
  const again = () => look({ text: text.value, metric: metric.value, order: order.value });
  for (const select of [metric, order]) select.addEventListener("change", again);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    again();
  };
  return h(
    "form",
    { class: "controls", role: "search", onsubmit: submit },
    text,
    metric,
    order,
    h("button", {}, t("Find")),
  );
}

/** @param {string} order */
function orderText(order) {
  switch (order) {
    case "worst":
      return t("Worst first");
    case "best":
      return t("Best first");
    default:
      return t("As they were asked");
  }
}

/**
 * @param {readonly any[]} rows
 * @param {string} metric
 */
function questionTable(rows, metric) {
  const columns = [
    { title: t("Question") },
    { title: metric, isNumber: true },
    { title: t("What answers it, and its rank") },
    { title: t("Passages found") },
    { title: t("Time"), isNumber: true },
  ];
  return table(
    t("Questions"),
    columns,
    rows.map((row) => [
      h("a", { href: `#/questions/${part(row.trace_id)}` }, row.query || row.id),
      score(row.metrics[metric]),
      row.relevant.length === 0 ? "–" : h("ul", { class: "plain" }, ...row.relevant.map(relevant)),
      folded(t("{0} passages", number(row.results)), () => h("ol", {}, ...row.found.map(foundItem))),
      duration(row.latency_ms),
    ]),
  );
}

/** @param {any} one */
function relevant({ source, place, rank }) {
  const where = [source, placeText(place)].filter(Boolean).join(", ");
  return h(
    "li",
    {},
    rank === null ? badge(t("Missed"), "bad") : badge(t("Rank {0}", number(rank)), rank <= 5 ? "good" : "warn"),
    ` ${where}`,
  );
}

/** @param {any} one */
const foundItem = ({ source, section, place, score: value }) =>
  h("li", {}, `${[source, section, placeText(place)].filter(Boolean).join(", ")} (${score(value)})`);
