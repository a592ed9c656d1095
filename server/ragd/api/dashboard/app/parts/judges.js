/** Who judges a run: a language model by our own questions, and other tools' metrics; and what that costs in calls to the model. */

import { send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { failure, quiet } from "../lib/parts.js";
import { number, t } from "../lib/text.js";
import { choice, field } from "./fields.js";

const CALLS = 5000;

/** @typedef {{ name: string, metrics: readonly { name: string, needs: readonly string[] }[], missing: string, command: string }} MetricSet */

/**
 * @param {any} choices `GET /api/evaluations/choices`
 * @param {any} last the newest run that was begun here, whose judges are chosen again, or null
 * @param {() => boolean} hasAnswers whether the run that is asked for has answers
 * @param {() => object} asked what else the run is asked for with
 */
export function judgeFields(choices, last, hasAnswers, asked) {
  const { judges, metric_sets } = choices;
  const model = choice(
    judges.map((/** @type {any} */ one) => one.strategy),
    (strategy) => judges.find((/** @type {any} */ one) => one.strategy === strategy).model,
    last?.judge_strategy,
  );
  const own = h("input", { type: "checkbox", checked: last?.judge === true && judges.length > 0 });
  const calls = h("input", {
    type: "number",
    min: 1,
    step: 1,
    required: true,
    class: "short",
    value: last?.judge_calls ?? CALLS,
  });
  /** @type {readonly MetricSet[]} */
  const installed = judges.length === 0 ? [] : metric_sets.filter((/** @type {MetricSet} */ { missing }) => !missing);
  const sets = installed.map((one) => setBoxes(one, last?.metrics ?? []));
  const cost = h("p", { class: "quiet", role: "status" });
  let requests = 0;

  /** What the form sends of it; nothing where nobody judges. */
  function chosen() {
    const metrics = sets.flatMap((one) => one.chosen());
    if (!own.checked && metrics.length === 0) return {};
    return { judge: own.checked, metrics, judge_strategy: model.value, judge_calls: calls.valueAsNumber };
  }

  /** Offers what the run allows, and says what is chosen by now will cost. */
  async function refresh() {
    for (const one of sets) one.allow(hasAnswers());
    requests += 1;
    const request = requests;
    const wanted = chosen();
    if (!("judge" in wanted)) {
      cost.replaceChildren();
      return;
    }
    try {
      const found = await send("POST", "/api/evaluations/cost", { ...asked(), ...wanted });
      if (request === requests) cost.replaceChildren(costText(found));
    } catch (error) {
      if (request === requests) cost.replaceChildren(failure(error));
    }
  }

  const element = h(
    "fieldset",
    { class: "judges" },
    h("legend", {}, t("Judged by a language model")),
    judges.length === 0
      ? quiet(t("There is none: set llm.provider and llm.model, or name them in a strategy's file."))
      : h(
          "div",
          { class: "controls" },
          field(t("Our own judge"), own),
          field(t("Judging model"), model),
          field(t("Calls at most"), calls),
        ),
    ...sets.map(({ element: boxes }) => boxes),
    ...metric_sets.filter((/** @type {MetricSet} */ { missing }) => missing).map(toInstall),
    cost,
  );
  return { element, chosen, refresh };
}

/** @param {{ questions: number, calls: Record<string, number>, total: number, limit: number }} found */
function costText({ questions, calls, total, limit }) {
  const each = Object.entries(calls).map(
    ([by, count]) => `${by === "judge" ? t("Our own judge") : by} ${number(count)}`,
  );
  const said = t(
    "About {0} calls to the model for {1} questions ({2}).",
    number(total),
    number(questions),
    each.join(", "),
  );
  const short = total > limit ? ` ${t("Only {0} are allowed: not all will be judged.", number(limit))}` : "";
  return said + short;
}

/**
 * The metrics of a tool that is installed, by boxes.
 * @param {MetricSet} set
 * @param {readonly string[]} last full names that were chosen last
 */
function setBoxes({ name, metrics }, last) {
  const boxes = metrics.map((metric) => {
    const value = `${name}:${metric.name}`;
    return { metric, box: h("input", { type: "checkbox", value, checked: last.includes(value) }) };
  });
  const element = h(
    "fieldset",
    { class: "several" },
    h("legend", {}, name),
    ...boxes.map(({ metric, box }) => h("label", {}, box, " ", metric.name)),
  );
  return {
    element,
    /** Metrics of answers are offered where there are some. @param {boolean} hasAnswers */
    allow(hasAnswers) {
      for (const { metric, box } of boxes) box.disabled = !hasAnswers && metric.needs.includes("answer");
    },
    chosen: () => boxes.filter(({ box }) => box.checked && !box.disabled).map(({ box }) => box.value),
  };
}

/** @param {MetricSet} set that can't be used, with what would help */
function toInstall({ name, missing, command }) {
  return h(
    "p",
    { class: "quiet" },
    command ? `${t("{0} is not installed. To add it:", name)} ` : `${name}: ${missing}`,
    command && h("code", {}, command),
  );
}
