/** What judged a run, and what the judges say of the same thing, side by side. */

import { h } from "../lib/dom.js";
import { quiet, section, table } from "../lib/parts.js";
import { number, score, t } from "../lib/text.js";

/**
 * Names and values of the accounts that a run keeps of its judges.
 * @param {any} options of the run
 * @returns {(readonly [string, import("../lib/dom.js").Child])[]}
 */
export function judgeFacts({ judge, metric_sets }) {
  const tools = (metric_sets ?? []).map((/** @type {any} */ one) => toolText(one));
  return [
    [t("Our own judge"), judge && judgeText(judge)],
    [
      t("Metrics of other tools"),
      tools.length > 0 && h("ul", { class: "plain" }, ...tools.map((/** @type {string} */ one) => h("li", {}, one))),
    ],
  ];
}

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
  return parts.filter(Boolean).join("; ");
}

/** @param {any} tool */
function toolText({ name, version, provider, model, calls, missing, stopped }) {
  const parts = [
    `${name} ${version}, ${provider} ${model}`,
    t("{0} calls", number(calls)),
    missing > 0 && t("{0} values missing", number(missing)),
    stopped && t("Not all was judged: {0}", stopped),
  ];
  return parts.filter(Boolean).join("; ");
}

/** Where two tools mean the same, whatever they call it. @param {string} name */
const meaning = (name) =>
  name
    .replace(/^[^:]*:/, "")
    .replace(/^contextual_/, "context_")
    .replace(/relevancy$/, "relevance")
    .replace(/^answer_correctness$/, "correctness");

/**
 * The figures of other tools with ours of the same meaning beside them; null where the run has none of theirs.
 * @param {readonly { metric: string, mean: number, low: number, high: number }[]} metrics
 */
export function sideBySide(metrics) {
  const theirs = metrics.filter(({ metric }) => metric.includes(":"));
  if (theirs.length === 0) return null;
  const tools = [...new Set(theirs.map(({ metric }) => metric.split(":")[0] ?? ""))];
  const meanings = [...new Set(theirs.map(({ metric }) => meaning(metric)))];
  /** @param {string} what @param {(metric: string) => boolean} isOf */
  const cell = (what, isOf) => {
    const found = metrics.find(({ metric }) => isOf(metric) && meaning(metric) === what);
    return found ? t("{0} ({1} to {2})", score(found.mean), score(found.low), score(found.high)) : "–";
  };
  const rows = meanings.map((what) => [
    what,
    cell(what, (metric) => !metric.includes(":")),
    ...tools.map((tool) => cell(what, (metric) => metric.startsWith(`${tool}:`))),
  ]);
  const columns = [t("Metric"), t("Our own judge"), ...tools].map((title, at) => ({ title, isNumber: at > 0 }));
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
