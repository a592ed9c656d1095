/** The same question once more, with settings changed, beside what was done then; and what differs, list by list. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { badge, failure, folded, quiet, table, tree } from "../lib/parts.js";
import { duration, number, score, t } from "../lib/text.js";
import { flow, listName } from "./flow.js";
import { settingsPicker } from "./settings.js";
import { stageName } from "./stages.js";

/** @param {string} id of the trace */
export function replay(id) {
  const outcome = h("div", { role: "status" });
  const place = h("div", {});
  void get("/api/settings").then(
    ({ items }) => {
      const picker = settingsPicker(items);
      const run = h("button", { class: "primary" }, t("Ask again"));
      /** @param {SubmitEvent} event */
      async function submit(event) {
        event.preventDefault();
        run.disabled = true;
        outcome.replaceChildren(quiet(t("Asking …")));
        try {
          outcome.replaceChildren(
            compared(
              await send("POST", `/api/traces/${part(id)}/replay`, {
                settings: picker.values(),
              }),
            ),
          );
        } catch (error) {
          outcome.replaceChildren(failure(error));
        } finally {
          run.disabled = false;
        }
      }
      place.append(
        h(
          "form",
          {
            onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event),
          },
          picker.element,
          run,
        ),
      );
    },
    (error) => place.append(failure(error)),
  );
  return h(
    "div",
    {},
    quiet(t("On today's documents and settings; what you choose here holds for this question alone.")),
    place,
    outcome,
  );
}

/** @param {any} answer as `POST /api/traces/{id}/replay` gives it */
export function compared(answer) {
  const side = (/** @type {"before" | "after"} */ name) => ({
    lists: answer.lists.filter((/** @type {any} */ one) => one[name]).map((/** @type {any} */ one) => one.name),
    candidates: answer.candidates
      .filter((/** @type {any} */ one) => Object.keys(one[name]).length > 0)
      .map((/** @type {any} */ one) => ({ ...one, positions: one[name] })),
  });
  const [before, after] = [side("before"), side("after")];
  return h(
    "div",
    {},
    h(
      "p",
      { class: "badges" },
      answer.same ? badge(t("The same lists"), "good") : badge(t("The lists differ"), "warn"),
      h("a", { href: `#/questions/${part(answer.replay)}` }, t("The new trace")),
    ),
    ...answer.notes.map((/** @type {string} */ note) => quiet(note)),
    answer.settings.length > 0 && changes(t("Settings"), answer.settings),
    h(
      "div",
      { class: "sides" },
      h("div", {}, h("h3", {}, t("Then")), flow(t("Ranks then"), before.lists, before.candidates)),
      h("div", {}, h("h3", {}, t("Now")), flow(t("Ranks now"), after.lists, after.candidates)),
    ),
    lists(answer),
    times(answer),
    answer.plan.length > 0 && changes(t("Understood otherwise"), answer.plan),
    answer.providers.length > 0 && changes(t("Done by others"), answer.providers),
    documents(answer),
  );
}

/** @param {any} answer */
function lists(answer) {
  const named = new Map(answer.candidates.map((/** @type {any} */ one) => [one.chunk_id, one]));
  /** @param {readonly string[]} ids */
  const which = (ids) =>
    ids.length === 0
      ? "0"
      : folded(number(ids.length), () =>
          h("ul", {}, ...ids.map((id) => h("li", {}, passage(/** @type {any} */ (named.get(id)), id)))),
        );
  const columns = [
    { title: t("List") },
    { title: t("Then"), isNumber: true },
    { title: t("Now"), isNumber: true },
    { title: t("Came") },
    { title: t("Went") },
    { title: t("Changed rank"), isNumber: true },
  ];
  const count = (/** @type {number | null} */ value) => (value === null ? "–" : number(value));
  return table(
    t("What differs, list by list"),
    columns,
    answer.lists.map((/** @type {any} */ one) => [
      listName(one.name),
      count(one.before),
      count(one.after),
      which(one.entered),
      which(one.left),
      number(one.moved),
    ]),
  );
}

/**
 * @param {any} candidate
 * @param {string} id
 */
function passage(candidate, id) {
  const document = candidate?.document;
  if (!document) return id;
  return h(
    "a",
    { href: `#/documents/${part(document.doc_id)}?chunk=${part(id)}` },
    [document.title || document.source, document.place].filter(Boolean).join(" · "),
  );
}

/** @param {any} answer */
function times(answer) {
  const rows = answer.times.map((/** @type {any} */ one) => [
    one.name === "total" ? t("Total") : stageName(one.name),
    duration(one.before),
    duration(one.after),
  ]);
  const confidence = [t("Confidence"), score(answer.confidence.before), score(answer.confidence.after)];
  const columns = [{ title: t("Stage") }, { title: t("Then"), isNumber: true }, { title: t("Now"), isNumber: true }];
  return table(t("Times"), columns, [...rows, confidence]);
}

/**
 * @param {string} title
 * @param {readonly { name: string, before: unknown, after: unknown }[]} rows
 */
function changes(title, rows) {
  const columns = [{ title }, { title: t("Then") }, { title: t("Now") }];
  const shown = (/** @type {unknown} */ value) => (value === null ? t("(default)") : tree(value));
  return table(
    title,
    columns,
    rows.map(({ name, before, after }) => [name, shown(before), shown(after)]),
  );
}

/** @param {any} answer */
function documents(answer) {
  const changed = answer.documents.filter((/** @type {any} */ one) => one.state !== "same");
  if (changed.length === 0) return null;
  /** @param {string} state */
  const word = (state) => (state === "new" ? t("New") : state === "changed" ? t("Changed") : t("Gone"));
  const rows = changed.map((/** @type {any} */ one) => [one.source || one.doc_id, word(one.state)]);
  return table(t("Documents since then"), [{ title: t("Documents since then") }, { title: t("State") }], rows);
}
