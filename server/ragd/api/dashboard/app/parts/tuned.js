/** What a search for better settings found: each half's choice on the other half, the gain that can be expected, the recommendation. */

import { part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, quiet } from "../lib/parts.js";
import { number, score, t } from "../lib/text.js";

/** With its sign. @param {number} value */
const signed = (value) => `${value > 0 ? "+" : ""}${number(value, 4)}`;

/** @param {Record<string, unknown>} changes */
const changesText = (changes) =>
  Object.entries(changes)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(", ") || t("no change");

/** @param {any} job of a search that has ended */
export function tuned(job) {
  const found = job.tuned;
  const isBetter = Object.keys(found.changes).length > 0;
  return h(
    "div",
    {},
    h(
      "p",
      {},
      isBetter
        ? badge(t("Recommended"), "good")
        : badge(t("Nothing better found: the settings stay as they are."), "plain"),
      isBetter && h("code", {}, ` ${changesText(found.changes)}`),
    ),
    h(
      "p",
      {},
      t(
        "{0} on questions that took no part in the choice: {1}, 95 % interval {2} to {3}, p {4}. {5} configurations tried.",
        "ndcg@10",
        signed(found.gain),
        signed(found.low),
        signed(found.high),
        number(found.p, 4),
        number(found.tried),
      ),
    ),
    !found.complete && quiet(t("The time was over before everything had been tried: more minutes may find more.")),
    h("ul", {}, ...found.halves.map((/** @type {any} */ half) => h("li", {}, halfText(half)))),
    isBetter && saving(job),
  );
}

/** What one half of the questions chose, and what it gave on the other. @param {any} half */
const halfText = ({ changes, questions, before, after }) =>
  t(
    "{0}, chosen by one half: {1} → {2} ({3}) on {4} questions of the other",
    changesText(changes),
    score(before),
    score(after),
    signed(after - before),
    number(questions),
  );

/** @param {any} job */
function saving(job) {
  const name = h("input", { type: "text", value: "tuned", "aria-label": t("Name of the strategy"), class: "short" });
  const save = async () => {
    const saved = await send("POST", `/api/evaluations/jobs/${part(job.job_id)}/strategy`, { name: name.value });
    return t("{0} is written. It counts only where it is named.", saved.path);
  };
  return h(
    "div",
    {},
    h("pre", {}, job.strategy_file),
    h("div", { class: "controls" }, name, action(t("Save as a strategy's file"), save)),
    quiet(t("Nothing is applied: a strategy counts where a question or RAG_STRATEGY names it.")),
  );
}
