/** One dataset: its questions, looked at and edited one by one; each change makes a version, and runs name theirs. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, facts, failure, folded, pager, quiet, section, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { placeText } from "../parts/places.js";
import { questionForm } from "../parts/questionForm.js";
import { runName } from "./evaluations.js";

const PAGE_SIZE = 20;

/** @typedef {import("../dashboard.js").Visit} Visit */

/** @type {import("../dashboard.js").Page} */
export async function dataset({ id, query, signal, go }) {
  const asked = {
    digest: query.get("digest") ?? "",
    text: query.get("text") ?? "",
    unlabelled: query.get("unlabelled") ?? "",
  };
  const path = `/api/datasets/${part(id)}`;
  const page = Number(query.get("page") ?? 1);
  const [found, runs, collections] = await Promise.all([
    get(path, { ...asked, page, page_size: PAGE_SIZE }, signal),
    get("/api/evaluations", { page_size: 100 }, signal),
    get("/api/collections", { page_size: 100 }, signal),
  ]);
  const { version, versions, unlabelled, questions } = found;
  const isNewest = version.digest === versions[0].digest;
  /** Shows the page anew, as it is after a change. @param {number} [to] */
  const again = (to = page) =>
    go(`datasets/${part(id)}`, { ...asked, digest: "", page: String(to), changed: String(Date.now()) });
  const editing = {
    collections: collections.items.filter((/** @type {any} */ one) => one.status === "enabled"),
    /** @param {object} question @param {string | null} replaces */
    save: async (question, replaces) => {
      await send("PATCH", path, { base: version.digest, put: question, ...(replaces === null ? {} : { replaces }) });
      again(replaces === null ? Math.ceil((version.questions + 1) / PAGE_SIZE) : page);
    },
  };
  /** @param {number} to */
  const link = (to) => `#/datasets/${part(id)}?${new URLSearchParams({ ...asked, page: String(to) })}`;
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/datasets" }, t("Datasets of questions"))),
    h("h1", {}, id),
    about(version, runs.items),
    !isNewest && older(path, versions[0].digest, version.digest, again),
    unlabelled > 0 &&
      waiting(unlabelled, asked.unlabelled !== "", isNewest, {
        look: (only) => go(`datasets/${part(id)}`, { ...asked, unlabelled: only ? "true" : "" }),
        take: () => send("PATCH", path, { base: version.digest, take_labels: true }).then(() => again(1)),
      }),
    section(
      t("Questions"),
      isNewest && folded(t("Add a question"), () => questionForm(null, editing)),
      findForm(asked.text, (text) => go(`datasets/${part(id)}`, { ...asked, text })),
      questions.items.length === 0
        ? quiet(t("There is no such question here."))
        : h(
            "div",
            {},
            ...questions.items.map((/** @type {any} */ one) =>
              card(one, isNewest ? editing : null, () =>
                send("PATCH", path, { base: version.digest, remove: one.question.id }).then(() => again()),
              ),
            ),
          ),
      pager(questions, link),
    ),
    section(t("Versions"), versionTable(id, versions)),
    section(
      t("File"),
      folded(t("As a file"), () => asFile(path, version.digest)),
      quiet(t("Asked from the command line: {0}", `rag eval run --dataset ${id} --collection …`)),
      action(
        t("Delete the dataset"),
        () => send("DELETE", path).then(() => go("datasets")),
        undefined,
        t("Delete {0} with all its versions? Runs that were measured with it stay.", id),
      ),
    ),
  );
}

/**
 * @param {any} version
 * @param {readonly any[]} runs
 */
function about(version, runs) {
  const of = runs.filter(({ dataset_hash }) => dataset_hash === version.digest);
  const links = of.map((run) =>
    h("li", {}, h("a", { href: `#/evaluation/${part(run.run_id)}` }, runName(run)), ` ${time(run.started_at)}`),
  );
  return facts([
    [t("Version"), t("{0}, of {1}", number(version.position), time(version.created_at))],
    [t("Changed by"), version.author],
    [t("Digest"), h("code", {}, version.digest)],
    [t("Questions"), number(version.questions)],
    [t("Measured with it"), links.length > 0 ? h("ul", { class: "plain" }, ...links) : t("No run that is kept")],
  ]);
}

/**
 * @param {string} path
 * @param {string} base
 * @param {string} digest
 * @param {() => void} again
 */
function older(path, base, digest, again) {
  const restore = () => send("PATCH", path, { base, restore: digest }).then(() => again());
  return h(
    "p",
    { class: "badges" },
    badge(t("An older version, read-only"), "warn"),
    action(t("Restore this version"), restore),
  );
}

/**
 * What waits for labels, and how these come here.
 * @param {number} count
 * @param {boolean} isAlone whether the page shows only those
 * @param {boolean} isNewest
 * @param {{ look: (only: boolean) => void, take: () => Promise<void> }} does
 */
function waiting(count, isAlone, isNewest, { look, take }) {
  const only = h("button", { onclick: () => look(!isAlone) }, isAlone ? t("Show all questions") : t("Show only these"));
  return section(
    t("To be labelled"),
    quiet(
      t(
        "{0} questions wait: label their passages by the link of each, then take the labels over. Until then they are not asked.",
        number(count),
      ),
    ),
    h("p", { class: "badges" }, only, isNewest && action(t("Take the labels over"), take)),
  );
}

/** @param {{ id: string, query: string }} question by its trace, where that is kept; else its passages are searched */
function labelLink({ id, query }) {
  const trace = /^[0-9a-f]{32}$/.test(id) ? { trace: id } : {};
  return h(
    "a",
    { href: `#/labels/mark?${new URLSearchParams({ ...trace, question: query })}` },
    t("Label its passages"),
  );
}

/**
 * @param {string} text
 * @param {(text: string) => void} look
 */
function findForm(text, look) {
  const label = t("Part of the question");
  const input = h("input", { type: "search", value: text, "aria-label": label, placeholder: label });
  /** @param {SubmitEvent} event */
  const onsubmit = (event) => {
    event.preventDefault();
    look(input.value);
  };
  return h("form", { class: "controls", role: "search", onsubmit }, input, h("button", {}, t("Find")));
}

/**
 * @param {{ number: number, question: any }} one
 * @param {import("../parts/questionForm.js").Editing | null} editing none for what can't be changed
 * @param {() => Promise<void>} remove
 */
function card({ number: at, question }, editing, remove) {
  const relevant = (question.relevant ?? []).map((/** @type {any} */ wanted) =>
    h(
      "li",
      {},
      [wanted.source, placeText(wanted.place)].filter(Boolean).join(", "),
      (wanted.grade ?? 1) > 1 && ` (${t("grade {0}", number(wanted.grade))})`,
    ),
  );
  return h(
    "article",
    { class: "card" },
    h("h3", {}, `${number(at)}. ${question.query}`),
    h(
      "p",
      { class: "badges" },
      h("code", {}, question.id),
      question.unlabelled === true && badge(t("To be labelled"), "warn"),
      question.unlabelled === true && labelLink(question),
      question.answerable === false && badge(t("No document answers it"), "warn"),
      question.hard === true && badge(t("Hard"), "plain"),
      ...[question.type, question.lang].filter(Boolean).map((group) => badge(String(group), "plain")),
      question.filters && badge(t("With filters"), "plain"),
    ),
    relevant.length > 0 && h("ul", { class: "plain" }, ...relevant),
    facts([
      [t("An answer must say"), factsText(question.facts ?? [])],
      [t("A right answer"), question.answer],
    ]),
    editing &&
      h(
        "div",
        {},
        folded(t("Change: {0}", question.id), () => questionForm(question, editing)),
        action(t("Remove"), remove, t("Remove: {0}", question.id), t("Remove this question from the dataset?")),
      ),
  );
}

/** @param {readonly (string | readonly string[])[]} listed */
const factsText = (listed) => listed.map((one) => (typeof one === "string" ? one : one.join(" | "))).join("; ");

/**
 * @param {string} name
 * @param {readonly any[]} versions
 */
function versionTable(name, versions) {
  const columns = [
    { title: t("Version") },
    { title: t("Digest") },
    { title: t("Questions"), isNumber: true },
    { title: t("Changed") },
    { title: t("Changed by") },
  ];
  return table(
    t("Versions"),
    columns,
    versions.map((one) => [
      number(one.position),
      h("a", { href: `#/datasets/${part(name)}?digest=${part(one.digest)}` }, h("code", {}, one.digest.slice(0, 8))),
      number(one.questions),
      time(one.created_at),
      one.author,
    ]),
  );
}

/**
 * @param {string} path
 * @param {string} digest
 */
function asFile(path, digest) {
  const place = h("div", {}, quiet(t("Being looked for …")));
  get(`${path}/text`, { digest }).then(
    ({ text }) => place.replaceChildren(h("pre", { class: "commands" }, text)),
    (error) => place.replaceChildren(failure(error)),
  );
  return place;
}
