/** What judged a run, and what the judges say of the same thing, side by side. */

import { h } from "../lib/dom.js";
import { badge, quiet, section, table } from "../lib/parts.js";
import { number, score, t } from "../lib/text.js";
import { intervalBar } from "./intervals.js";

/**
 * Names and values of the accounts that a run keeps of its judges.
 * @param {any} options of the run
 * @returns {(readonly [string, import("../lib/dom.js").Child])[]}
 */
export function judgeFacts({ judge, metric_sets }) {
  const tools = (metric_sets ?? []).map((/** @type {any} */ one) => toolText(one));
  return [
    [t("Our own judge"), judge && h("span", {}, judgeText(judge), judge.reliable === false && unreliable())],
    [
      t("Metrics of other tools"),
      tools.length > 0 && h("ul", { class: "plain" }, ...tools.map((/** @type {string} */ one) => h("li", {}, one))),
    ],
  ];
}

function unreliable() {
  return h("span", {}, " ", badge(t("Often wrong: do not rely on its figures"), "bad"));
}

/** @param {readonly (string | false | "")[]} parts those that are left out are false or empty */
const joined = (parts) =>
  parts
    .filter((part) => typeof part === "string" && part !== "")
    .reduce((before, part) => t("{0}; {1}", String(before), String(part)));

/** @param {any} judge */
function judgeText({ provider, model, controls, calls, cached, unparsable, failed, too_long, stopped }) {
  const missing = unparsable + failed + too_long;
  const parts = [
    `${provider} ${model}`,
    t("{0} of {1} control questions right", number(controls.right), number(controls.asked)),
    t("{0} calls, {1} verdicts of before", number(calls), number(cached)),
    missing > 0 && t("{0} verdicts missing", number(missing)),
    stopped && t("Not all was judged: {0}", stopped),
  ];
  return joined(parts);
}

/** @param {any} tool */
function toolText({ name, version, provider, model, calls, missing, stopped }) {
  const parts = [
    `${name} ${version}, ${provider} ${model}`,
    t("{0} calls", number(calls)),
    missing > 0 && t("{0} values missing", number(missing)),
    stopped && t("Not all was judged: {0}", stopped),
  ];
  return joined(parts);
}

/** Where two tools mean the same, whatever they call it. @param {string} name */
const meaning = (name) =>
  name
    .replace(/^[^:]*:/, "")
    .replace(/^contextual_/, "context_")
    .replace(/relevancy$/, "relevance")
    .replace(/^answer_correctness$/, "correctness");

/** Whether a figure is another tool's. @param {{ metric: string }} figure */
export const isOfTool = ({ metric }) => metric.includes(":");

/** @typedef {{ metric: string, counted: number, mean: number, low: number, high: number }} Figure */

/**
 * The figures of other tools with ours of the same meaning beside them; null where the run has none of theirs.
 * @param {readonly Figure[]} metrics
 */
export function sideBySide(metrics) {
  const theirs = metrics.filter(isOfTool);
  if (theirs.length === 0) return null;
  const tools = [...new Set(theirs.map(({ metric }) => metric.split(":")[0] ?? ""))];
  const meanings = [...new Set(theirs.map(({ metric }) => meaning(metric)))];
  const rows = meanings.map((what) => {
    const same = metrics.filter(({ metric }) => meaning(metric) === what);
    const each = [
      same.find((one) => !isOfTool(one)),
      ...tools.map((tool) => same.find(({ metric }) => metric.startsWith(`${tool}:`))),
    ];
    return [breakable(what), ...each.map(judged), questionsText(same)];
  });
  const columns = [
    ...[t("Metric"), t("Our own judge"), ...tools].map((title) => ({ title })),
    { title: t("Questions"), isNumber: true },
  ];
  return section(
    t("Judges side by side"),
    table(t("Judges side by side"), columns, rows),
    quiet(
      t(
        "Means with their 95 % intervals. Each tool asks its own questions, so the same name need not mean quite the same.",
      ),
    ),
  );
}

/** @param {Figure | undefined} figure */
function judged(figure) {
  if (!figure) return "–";
  const within = h("span", { class: "quiet" }, t("({0} to {1})", score(figure.low), score(figure.high)));
  return h("div", { class: "judge-figure" }, intervalBar(figure), h("span", {}, score(figure.mean)), " ", within);
}

/** How many questions count; from the least to the most where judges differ in that. @param {readonly Figure[]} same */
function questionsText(same) {
  const counts = same.map(({ counted }) => counted);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? number(least) : t("{0} to {1}", number(least), number(most));
}

/** A name of words, which may be broken between them. @param {string} name */
const breakable = (name) => h("span", {}, ...name.split(/(?<=_)/).flatMap((word) => [word, h("wbr")]));
