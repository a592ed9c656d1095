/** One question: what was found, how it moved from list to list, what was left out and why, how long each stage took. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, facts, failure, folded, quiet, section, table, tree } from "../lib/parts.js";
import { duration, number, score, t, time } from "../lib/text.js";
import { endText, flow, passageLink } from "../parts/flow.js";
import { generated } from "../parts/generated.js";
import { reasonText } from "../parts/reasons.js";
import { replay } from "../parts/replay.js";
import { eventView, looseEvents, statusText, waterfall } from "../parts/stages.js";

const ENDS = ["context", "no_room", "not_served", "beyond_top_k", "beyond_list"];

/** @type {import("../dashboard.js").Page} */
export async function question({ id, signal }) {
  const [trace, moved] = await Promise.all([
    get(`/api/traces/${part(id)}`, {}, signal),
    get(`/api/traces/${part(id)}/flow`, {}, signal),
  ]);
  const plan = payload(trace, "query.normalized");
  const response = payload(trace, "response.envelope");
  const answer = generated(payload(trace, "generation.summary"), payload(trace, "generation.prompt"), moved.candidates);
  const lists = moved.lists
    .filter((/** @type {any} */ one) => one.listed > 0)
    .map((/** @type {any} */ one) => one.name);
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/questions" }, t("Questions"))),
    h("h1", {}, moved.query ?? t("(the text was not kept)")),
    h("p", { class: "badges" }, ...state(trace, response)),
    h(
      "p",
      { class: "badges" },
      h("a", { href: `#/labels/mark?trace=${part(id)}` }, t("Label its passages")),
      plan.query && action(t("Make this an evaluation case"), () => makeCase(id, moved, plan)),
    ),
    answer && section(t("Prompt and answer"), answer),
    section(
      t("How the passages moved"),
      moved.candidates.length === 0
        ? quiet(t("No list held any passage."))
        : flow(t("Ranks of each passage from list to list"), lists, moved.candidates),
    ),
    section(t("Where was a document?"), whereabouts(id)),
    section(t("What was left out"), leftOut(moved, plan)),
    section(t("Stages"), waterfall(trace), ...looseEvents(trace).map(eventView)),
    section(t("Ask again with other settings"), replay(id)),
    section(t("About this question"), about(trace, plan, response)),
  );
}

/**
 * As a thumb up in the editor makes one: the passages of this answer are those that answer.
 * @param {string} id
 * @param {any} moved
 * @param {any} plan
 */
async function makeCase(id, moved, { query, filters }) {
  const chunk_ids = moved.candidates
    .filter((/** @type {any} */ one) => one.end === "context" && one.live)
    .map((/** @type {any} */ one) => one.chunk_id);
  if (chunk_ids.length === 0)
    throw new Error(t("This answer has no passage that is still there. Label those that answer it instead."));
  const given = filters && Object.keys(filters).length > 0 ? { filters } : {};
  await send("POST", "/api/feedback", { question: query, verdict: "up", chunk_ids, trace_id: id, ...given });
  return t("It is a case now: rag eval run --dataset feedback asks it again.");
}

/**
 * @param {any} trace
 * @param {any} response
 */
function state(trace, response) {
  const degraded = trace.events.filter((/** @type {any} */ event) => event.kind === "degraded");
  const { scored = 0, offered = 0 } = payload(trace, "rerank.ranked");
  const isCut = degraded.length === 0 && scored < offered;
  return [
    badge(statusText(trace.status), trace.status === "ok" ? "good" : "bad"),
    response.results === 0 && badge(t("Nothing found"), "warn"),
    ...degraded.map((/** @type {any} */ { payload }) =>
      badge(t("Without: {0}", `${payload.stage} (${payload.code})`), "warn"),
    ),
    isCut && badge(t("Reranking ran out of time: {0} of {1} passages", number(scored), number(offered)), "warn"),
    h("span", { class: "quiet" }, `${time(trace.started_at)} · ${duration(trace.aggregates.latency_ms)}`),
  ];
}

/**
 * @param {any} moved
 * @param {any} plan
 */
function leftOut(moved, plan) {
  const counted = ENDS.map((end) => ({
    end,
    of: moved.candidates.filter((/** @type {any} */ one) => one.end === end),
  })).filter(({ of }) => of.length > 0);
  const rows = counted.map(({ end, of }) => [
    endText(end),
    number(of.length),
    folded(t("Show"), () => h("ul", {}, ...of.map((/** @type {any} */ one) => h("li", {}, passageLink(one))))),
  ]);
  const cut = moved.lists.filter((/** @type {any} */ one) => one.is_cut);
  return h(
    "div",
    {},
    plan.filters && Object.keys(plan.filters).length > 0
      ? h("div", {}, h("p", {}, t("Only documents that pass these filters were looked at:")), tree(plan.filters))
      : quiet(t("No filter was set: every document of the collections could be found.")),
    rows.length > 0 &&
      table(
        t("What was left out"),
        [{ title: t("How far it came") }, { title: t("Passages"), isNumber: true }, { title: t("Which") }],
        rows,
      ),
    cut.length > 0 &&
      quiet(t("The trace keeps the first 30 of each list. With observability.detail_level: verbose it keeps all.")),
  );
}

/** @param {string} id */
function whereabouts(id) {
  const name = h("input", {
    type: "search",
    name: "document",
    required: true,
    "aria-label": t("Part of a document's path or title"),
    placeholder: t("Part of a document's path or title"),
  });
  const found = h("div", { role: "status" });
  /** @param {SubmitEvent} event */
  async function look(event) {
    event.preventDefault();
    try {
      const answer = await get(`/api/traces/${part(id)}/whereabouts`, {
        document: name.value,
      });
      found.replaceChildren(...answer.documents.map(whereabout));
      if (answer.total > answer.documents.length)
        found.append(quiet(t("{0} documents match; these are the first.", number(answer.total))));
    } catch (error) {
      found.replaceChildren(failure(error));
    }
  }
  return h(
    "div",
    {},
    h(
      "form",
      {
        class: "controls",
        onsubmit: (/** @type {SubmitEvent} */ event) => void look(event),
      },
      name,
      h("button", {}, t("Find")),
    ),
    found,
  );
}

/** @param {any} one */
function whereabout(one) {
  return h(
    "div",
    { class: "card" },
    h("h3", {}, h("a", { href: `#/documents/${part(one.doc_id)}` }, one.title || one.source)),
    h("p", { class: "quiet" }, `${one.collection} · ${one.source}`),
    h("p", {}, one.in_answer ? badge(t("In the answer"), "good") : badge(t("Not in the answer"), "warn")),
    h("ul", {}, ...one.reasons.map((/** @type {any} */ reason) => h("li", {}, reasonText(reason)))),
  );
}

/**
 * @param {any} trace
 * @param {any} plan
 * @param {any} response
 */
function about(trace, plan, response) {
  return facts([
    [t("Understood as"), plan.text],
    [t("Language"), plan.language],
    [t("Intent"), plan.intent],
    [t("Mode"), plan.mode],
    [t("Confidence"), response.confidence === undefined ? null : score(response.confidence)],
    [t("Settings that are not defaults"), plan.settings && tree(plan.settings)],
    [t("Counters"), tree(trace.aggregates.counters)],
    [t("Errors"), trace.aggregates.errors.length > 0 && tree(trace.aggregates.errors)],
    [t("Version"), trace.build],
    [t("Trace"), h("code", {}, trace.trace_id)],
    [
      t("Repeats"),
      trace.links.replay_of && h("a", { href: `#/questions/${part(trace.links.replay_of)}` }, trace.links.replay_of),
    ],
  ]);
}

/**
 * @param {any} trace
 * @param {string} kind
 * @returns {any}
 */
function payload(trace, kind) {
  return trace.events.find((/** @type {any} */ event) => event.kind === kind)?.payload ?? {};
}
