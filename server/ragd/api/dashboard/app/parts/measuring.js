/** Evaluations that the daemon runs by itself: begun here, watched as they go on, cancelled; and what a search for settings found. */

import { get, part, send, watch } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, failure, folded, quiet, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { choice, field, numberOrNothing, several } from "./fields.js";
import { judgeFields } from "./judges.js";
import { tuned } from "./tuned.js";

const SHOWN = 10;
const DEFAULT = "default";

/** @param {string} status */
const isUnderWay = (status) => status === "queued" || status === "running";

/**
 * What was begun here, newest first, each as it goes on.
 * @param {AbortSignal} signal
 * @param {() => void} measured is called when something has ended that was under way
 * @returns {{ element: HTMLElement, refresh: () => Promise<readonly any[]> }} `refresh` gives the jobs
 */
export function measuringJobs(signal, measured) {
  const element = h("div", {});
  /** Ids of those that are watched. @type {Set<string>} */
  const watched = new Set();

  async function refresh() {
    const { items } = await get("/api/evaluations/jobs", { page_size: SHOWN }, signal);
    element.replaceChildren(items.length === 0 ? quiet(t("Nothing was started here yet.")) : jobTable(items, refresh));
    for (const job of items) if (isUnderWay(job.status) && !watched.has(job.job_id)) void follow(job.job_id);
    return items;
  }

  /** @param {string} id */
  async function follow(id) {
    watched.add(id);
    try {
      await watch(`/api/jobs/${part(id)}/events`, (_event, job) => advance(id, job), signal);
      if (signal.aborted) return;
      await refresh();
      measured();
    } catch (error) {
      if (!signal.aborted) element.append(failure(error));
    } finally {
      watched.delete(id);
    }
  }

  /**
   * @param {string} id
   * @param {{ progress?: { done: number, total: number } }} job
   */
  function advance(id, job) {
    const row = element.querySelector(`[data-job="${CSS.escape(id)}"]`);
    if (row && job.progress) row.replaceChildren(...progressOf(job.progress));
  }
  return { element, refresh };
}

/** @param {{ done: number, total: number }} progress */
function progressOf({ done, total }) {
  const label = t("Progress of {0}", t("Measuring"));
  const bar = h("progress", { "aria-label": label, max: total || 1, value: total > 0 ? done : undefined });
  return [bar, total > 0 ? ` ${number(done)} / ${number(total)}` : ` ${t("Waits for its turn")}`];
}

/**
 * @param {readonly any[]} jobs
 * @param {() => Promise<unknown>} refresh
 */
function jobTable(jobs, refresh) {
  const columns = [
    { title: t("What") },
    { title: t("Dataset") },
    { title: t("Collection") },
    { title: t("Started") },
    { title: t("State") },
    { title: t("What came of it") },
  ];
  const rows = jobs.map((job) => [
    job.kind === "tuning" ? t("Tuning") : job.name || t("Measuring"),
    job.dataset,
    job.collection || t("As each question was asked"),
    time(job.started_at ?? job.created_at),
    state(job),
    outcome(job, refresh),
  ]);
  return table(t("Started here"), columns, rows);
}

/** @param {any} job */
function state(job) {
  if (isUnderWay(job.status)) return h("span", { "data-job": job.job_id }, ...progressOf(job.progress));
  if (job.status === "completed") return badge(t("Done"), "good");
  return job.status === "cancelled" ? badge(t("Cancelled"), "warn") : badge(t("Failed"), "bad");
}

/**
 * @param {any} job
 * @param {() => Promise<unknown>} refresh
 */
function outcome(job, refresh) {
  if (isUnderWay(job.status)) {
    const named = t("Cancel: {0}", job.name || job.dataset);
    return action(t("Cancel"), () => send("DELETE", `/api/jobs/${part(job.job_id)}`).then(refresh), named);
  }
  if (job.error) return job.error.message;
  if (job.tuned) return folded(verdict(job.tuned), () => tuned(job));
  return h("ul", { class: "plain" }, ...job.run_ids.map(runLink(job)));
}

/** @param {any} job @returns {(id: string, at: number) => HTMLElement} */
const runLink = (job) => (id, at) =>
  h("li", {}, h("a", { href: `#/evaluation/${part(id)}` }, `${job.strategies[at] ?? DEFAULT} (${id.slice(0, 8)})`));

/** @param {{ changes: Record<string, unknown> }} found */
const verdict = ({ changes }) =>
  Object.keys(changes).length > 0 ? t("Something better was found") : t("Nothing better found");

/** @typedef {{ name: string, status: string, document_count: number }} Collection */

/**
 * The forms that begin a run and a search for better settings.
 * @param {any} choices `GET /api/evaluations/choices`
 * @param {readonly Collection[]} collections
 * @param {any} last the newest run that was begun here, or null
 * @param {() => Promise<unknown>} begun
 */
export function measuringForms(choices, collections, last, begun) {
  if (choices.datasets.length === 0)
    return h(
      "p",
      {},
      t("There is no dataset to ask yet."),
      " ",
      h("a", { href: "#/datasets" }, t("Create a dataset of questions")),
    );
  const enabled = collections.filter(({ status }) => status === "enabled");
  return h(
    "div",
    {},
    folded(t("Measure how good the answers are"), () => runForm(choices, enabled, last, begun)),
    folded(t("Look for better settings"), () => tuneForm(choices, enabled, last, begun)),
  );
}

/**
 * What is asked, and where: as it was last; at first in a collection that has something.
 * @param {any} choices
 * @param {readonly Collection[]} collections
 * @param {any} last
 */
function material(choices, collections, last) {
  const dataset = choice(choices.datasets, String, last?.dataset);
  const names = collections.map(({ name }) => name);
  const first = collections.find(({ document_count }) => document_count > 0)?.name ?? names[0];
  const collection = choice(
    ["", ...names],
    (name) => name || t("All collections"),
    last ? (last.collection ?? "") : first,
  );
  const limit = h("input", { type: "number", min: 1, step: 1, class: "short" });
  const fields = [field(t("Dataset"), dataset), field(t("Collection"), collection)];
  const asked = () => ({
    dataset: dataset.value,
    collection: collection.value || null,
    limit: numberOrNothing(limit),
  });
  return { fields, limit: field(t("Only the first"), limit), asked };
}

/**
 * @param {string} label
 * @param {readonly (HTMLElement)[]} rows
 * @param {() => Promise<unknown>} begin
 * @param {() => Promise<unknown>} begun
 */
function form(label, rows, begin, begun) {
  const said = h("div", { role: "status" });
  const button = h("button", { class: "primary" }, label);
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      await begin();
      said.replaceChildren(t("It is in the queue."));
      await begun();
    } catch (error) {
      said.replaceChildren(failure(error));
    } finally {
      button.disabled = false;
    }
  }
  const onsubmit = (/** @type {SubmitEvent} */ event) => void submit(event);
  return h("form", { class: "card", onsubmit }, ...rows, h("div", { class: "controls" }, button), said);
}

/**
 * @param {any} choices
 * @param {readonly Collection[]} collections
 * @param {any} last
 * @param {() => Promise<unknown>} begun
 */
function runForm(choices, collections, last, begun) {
  const { fields, limit, asked } = material(choices, collections, last);
  const mode = choice(
    ["retrieval_only", "end_to_end"],
    (value) =>
      value === "end_to_end" ? answersText(choices.answers_by) : t("Passages: are the right ones found, and where"),
    last?.mode,
  );
  const strategies = several(t("Strategies, a run for each"), choices.strategies, (name) => name === DEFAULT);
  const reranked = h("input", { type: "checkbox", checked: true });
  const name = h("input", { type: "text", maxlength: 255 });
  const wanted = () => ({
    ...asked(),
    strategies: strategies.chosen(),
    mode: mode.value,
    rerank: reranked.checked,
    name: name.value,
  });
  const judges = judgeFields(choices, last, () => mode.value === "end_to_end", wanted);
  const begin = () => send("POST", "/api/evaluations/jobs", { ...wanted(), ...judges.chosen() });
  const rows = [
    h("div", { class: "controls" }, ...fields, field(t("What is measured"), mode)),
    strategies.element,
    h("div", { class: "controls" }, field(t("Name of the run"), name), limit, field(t("Reranking"), reranked)),
    judges.element,
  ];
  const element = form(t("Measure"), rows, begin, begun);
  element.addEventListener("change", () => void judges.refresh());
  void judges.refresh();
  return element;
}

/** @param {string} by */
const answersText = (by) =>
  by ? t("Passages and answers by {0}", by) : t("Passages and answers, made of the passages' own sentences");

/**
 * @param {any} choices
 * @param {readonly Collection[]} collections
 * @param {any} last
 * @param {() => Promise<unknown>} begun
 */
function tuneForm(choices, collections, last, begun) {
  const { fields, limit, asked } = material(choices, collections, last);
  const strategy = choice(choices.strategies);
  const minutes = h("input", {
    type: "number",
    min: 0.1,
    max: 1440,
    step: "any",
    value: 10,
    required: true,
    class: "short",
  });
  const names = choices.tunable.map((/** @type {any} */ one) => one.name);
  const settings = several(t("What may be changed"), names, () => true);
  const begin = () => {
    const chosen = settings.chosen();
    if (chosen.length === 0) throw new Error(t("Choose at least one setting that may be changed."));
    return send("POST", "/api/evaluations/tuning", {
      ...asked(),
      strategy: strategy.value,
      minutes: minutes.valueAsNumber,
      settings: chosen,
    });
  };
  const rows = [
    quiet(
      t(
        "The questions are divided in two halves: what one half chooses is measured on the other. Nothing is applied by itself.",
      ),
    ),
    h("div", { class: "controls" }, ...fields, field(t("Starts from"), strategy), field(t("Minutes"), minutes), limit),
    settings.element,
  ];
  return form(t("Search"), rows, async () => begin(), begun);
}
