/** Two runs of an evaluation, question by question. */

import { get, part } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { badge, facts, options, pager, quiet, section, table } from "../lib/parts.js";
import { number, score, t, time } from "../lib/text.js";
import { runName } from "./evaluations.js";

const SIGNIFICANT = 0.05;
const ONLY = ["changed", "won", "lost", "all"];

/** @typedef {import("../dashboard.js").Visit} Visit */

/** @param {Visit} visit */
export async function comparison({ id, query, signal, go }) {
  const asked = {
    against: query.get("against") ?? "",
    metric: query.get("metric") ?? "",
    only: query.get("only") || "changed",
  };
  const page = Number(query.get("page") ?? 1);
  const found = await get(`/api/evaluations/${part(id)}/comparison`, { ...asked, page, page_size: 20 }, signal);
  /** @param {Record<string, string>} changed */
  const look = (changed) => go(`evaluation/${part(id)}`, { ...asked, ...changed });
  const metric = options(
    t("Metric"),
    found.metrics.map((/** @type {any} */ one) => one.metric),
    found.metric,
    String,
  );
  const only = options(t("Which questions"), ONLY, asked.only, onlyText);
  metric.addEventListener("change", () => look({ metric: metric.value }));
  only.addEventListener("change", () => look({ only: only.value }));
  /** @param {number} to */
  const link = (to) => `#/evaluation/${part(id)}?${new URLSearchParams({ ...asked, page: String(to) })}`;
  const { first, second } = found;
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/evaluation" }, t("Evaluation"))),
    h("h1", {}, t("{0} against {1}", runName(second), runName(first))),
    facts([
      [t("First"), runLink(first)],
      [t("Second"), runLink(second)],
      [t("Dataset"), first.dataset],
      [t("Questions"), number(found.questions)],
    ]),
    section(t("Figures"), comparedTable(found.metrics)),
    section(
      t("Question by question"),
      h("div", { class: "controls" }, metric, only),
      found.changed.items.length === 0
        ? quiet(t("There are no such questions."))
        : changedTable(found.changed.items, found.metric),
      pager(found.changed, link),
    ),
  );
}

/** @param {any} run */
const runLink = (run) =>
  h("a", { href: `#/evaluation/${part(run.run_id)}` }, `${runName(run)}, ${time(run.started_at)}`);

/** @param {string} only */
function onlyText(only) {
  switch (only) {
    case "changed":
      return t("What differs");
    case "won":
      return t("What the second has better");
    case "lost":
      return t("What the second has worse");
    default:
      return t("All questions");
  }
}

/** @param {readonly any[]} metrics */
function comparedTable(metrics) {
  const columns = [
    { title: t("Metric") },
    { title: t("First"), isNumber: true },
    { title: t("Second"), isNumber: true },
    { title: t("Difference"), isNumber: true },
    { title: t("Won"), isNumber: true },
    { title: t("Lost"), isNumber: true },
    { title: t("Chance (p)"), isNumber: true },
    { title: t("So it is") },
  ];
  const rows = metrics.map((one) => [
    one.metric,
    score(one.first),
    score(one.second),
    signed(one.difference),
    number(one.wins),
    number(one.losses),
    number(one.p, 4),
    verdict(one),
  ]);
  return h(
    "div",
    {},
    table(t("Figures"), columns, rows),
    quiet(t("p is the chance of such a difference when both are equally good (paired randomisation test).")),
  );
}

/** @param {{ p: number, difference: number }} one */
function verdict({ p, difference }) {
  if (p >= SIGNIFICANT) return badge(t("Can be chance"), "plain");
  return difference > 0 ? badge(t("Better"), "good") : badge(t("Worse"), "bad");
}

/** @param {number} value */
const signed = (value) => `${value > 0 ? "+" : ""}${number(value, 3)}`;

/**
 * @param {readonly any[]} rows
 * @param {string} metric
 */
function changedTable(rows, metric) {
  const columns = [
    { title: t("Question") },
    { title: t("{0}, first", metric), isNumber: true },
    { title: t("{0}, second", metric), isNumber: true },
    { title: t("Difference"), isNumber: true },
    { title: t("Traces") },
  ];
  return table(
    t("Question by question"),
    columns,
    rows.map((row) => [
      row.query || row.id,
      score(row.first),
      score(row.second),
      signed(row.difference),
      h(
        "span",
        { class: "badges" },
        traceLink(row.first_trace, t("First"), t("First: trace of {0}", row.query)),
        traceLink(row.second_trace, t("Second"), t("Second: trace of {0}", row.query)),
      ),
    ]),
  );
}

/**
 * @param {string} id
 * @param {string} text
 * @param {string} label
 */
const traceLink = (id, text, label) => h("a", { href: `#/questions/${part(id)}`, "aria-label": label }, text);
