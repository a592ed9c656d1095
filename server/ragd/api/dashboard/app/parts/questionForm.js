/** A question of a dataset in a form: its words, what an answer must say, and the places that answer it, found by a search. */

import { part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { failure, quiet } from "../lib/parts.js";
import { number, t } from "../lib/text.js";
import { choice, field } from "./fields.js";
import { placeText } from "./places.js";

const FOUND = 10;

/** @typedef {{ collections: readonly { name: string }[], save: (question: object, replaces: string | null) => Promise<void> }} Editing */

/** What answers: as a file has it, or a passage that was just found, whose place the daemon writes. */
/** @typedef {{ source: string, place: any, grade?: number, chunk_id?: string }} Wanted */

/**
 * @param {any} known the question as it is, or null for a new one
 * @param {Editing} editing
 */
export function questionForm(known, { collections, save }) {
  const query = h("textarea", { required: true, rows: 2 }, known?.query ?? "");
  const id = h("input", { type: "text", maxlength: 200, value: known?.id ?? "", placeholder: t("Generated") });
  const facts = h("textarea", { rows: 2 }, (known?.facts ?? []).map(factLine).join("\n"));
  const answer = h("textarea", { rows: 2 }, known?.answer ?? "");
  const type = h("input", { type: "text", value: known?.type ?? "", class: "short" });
  const lang = h("input", { type: "text", value: known?.lang ?? "", class: "short" });
  const hard = h("input", { type: "checkbox", checked: known?.hard === true });
  const unanswerable = h("input", { type: "checkbox", checked: known?.answerable === false });
  const places = relevantPlaces(known?.relevant ?? []);
  const said = h("div", { role: "status" });

  function answering() {
    if (unanswerable.checked) return { answerable: false };
    const relevant = places.chosen();
    return known?.unlabelled && relevant.length === 0 ? { unlabelled: true } : { relevant };
  }
  function question() {
    const { relevant: _places, answerable: _answerable, unlabelled: _unlabelled, hard: _hard, ...kept } = known ?? {};
    const texts = { type: type.value.trim(), lang: lang.value.trim(), answer: answer.value.trim() };
    const named = facts.value
      .split("\n")
      .filter((line) => line.trim())
      .map(wordings);
    const made = {
      ...kept,
      id: id.value.trim() || `q-${Date.now().toString(36)}`,
      query: query.value.trim(),
      ...texts,
    };
    for (const name of /** @type {const} */ (["type", "lang", "answer"])) if (!texts[name]) delete made[name];
    delete made.facts;
    return {
      ...made,
      ...answering(),
      ...(named.length > 0 ? { facts: named } : {}),
      ...(hard.checked ? { hard: true } : {}),
    };
  }
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    said.replaceChildren();
    try {
      await save(question(), known?.id ?? null);
    } catch (error) {
      said.replaceChildren(failure(error));
    }
  }
  const tall = (/** @type {string} */ name, /** @type {HTMLElement} */ control) => {
    const made = field(name, control);
    made.classList.add("tall");
    return made;
  };
  return h(
    "div",
    { class: "card" },
    search(query, collections, places.add),
    h(
      "form",
      { onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event) },
      tall(t("Question"), query),
      places.element,
      field(t("No document answers it"), unanswerable),
      tall(t("An answer must say (a line each; other wordings behind | )"), facts),
      tall(t("A right answer"), answer),
      h(
        "div",
        { class: "controls" },
        field(t("Id"), id),
        field(t("Type"), type),
        field(t("Language"), lang),
        field(t("Hard"), hard),
      ),
      h("div", { class: "controls" }, h("button", { class: "primary" }, t("Save"))),
      said,
    ),
  );
}

/** @param {string | readonly string[]} fact */
const factLine = (fact) => (typeof fact === "string" ? fact : fact.join(" | "));

/** @param {string} line */
function wordings(line) {
  const all = line
    .split("|")
    .map((one) => one.trim())
    .filter(Boolean);
  return all.length === 1 ? all[0] : all;
}

/**
 * What answers, each with a button that leaves it out.
 * @param {readonly Wanted[]} known
 */
function relevantPlaces(known) {
  /** @type {Wanted[]} */
  let chosen = [...known];
  const list = h("ul", { class: "plain" });
  const element = h(
    "div",
    { role: "group", "aria-label": t("What answers it") },
    h("h4", {}, t("What answers it")),
    list,
  );
  function show() {
    list.replaceChildren(
      ...(chosen.length === 0 ? [h("li", { class: "quiet" }, t("Nothing yet: search above."))] : chosen.map(row)),
    );
  }
  /** @param {Wanted} one */
  function row(one) {
    const text = wantedText(one);
    const leave = () => {
      chosen = chosen.filter((other) => other !== one);
      show();
    };
    return h(
      "li",
      {},
      `${text} `,
      h("button", { type: "button", onclick: leave, "aria-label": t("Leave out {0}", text) }, "×"),
    );
  }
  show();
  return {
    element,
    /** @param {Wanted} one */
    add(one) {
      if (chosen.some((other) => wantedText(other) === wantedText(one))) return;
      chosen.push(one);
      show();
    },
    chosen: () =>
      chosen.map(({ chunk_id, grade, ...rest }) => ({
        ...(chunk_id ? { chunk_id } : rest),
        ...(grade ? { grade } : {}),
      })),
  };
}

/** @param {Wanted} one */
const wantedText = ({ source, place }) => [source, placeText(place) || t("the whole document")].join(", ");

/**
 * @param {HTMLTextAreaElement} question is looked for, where the field says nothing else
 * @param {readonly { name: string }[]} collections
 * @param {(one: Wanted) => void} add
 */
function search(question, collections, add) {
  const label = t("Search for what answers it (empty: by the question)");
  const words = h("input", { type: "search", "aria-label": label, placeholder: label });
  const names = collections.map(({ name }) => name);
  const collection = choice(["", ...names], (name) => name || t("All collections"));
  collection.setAttribute("aria-label", t("Collection"));
  const found = h("div", { class: "found", role: "status" });
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const query = words.value.trim() || question.value.trim();
    if (!query) {
      found.replaceChildren(quiet(t("Write the question first, or words to search for.")));
      return;
    }
    try {
      const of = collection.value ? { collection: collection.value } : {};
      const { results } = await send("POST", "/api/query", { query, top_k: FOUND, ...of });
      found.replaceChildren(
        ...(results.length === 0
          ? [quiet(t("Nothing found"))]
          : results.map((/** @type {any} */ one) => passage(one, add))),
      );
    } catch (error) {
      found.replaceChildren(failure(error));
    }
  }
  return h(
    "form",
    { role: "search", onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event) },
    h("div", { class: "controls" }, words, collection, h("button", {}, t("Search"))),
    found,
  );
}

/**
 * @param {any} one a result of a question
 * @param {(one: Wanted) => void} add
 */
function passage(one, add) {
  const { chunk_id, doc_id, source, section_path } = one;
  // Where the daemon finds no page or lines, it names the section.
  const place = placeText(one) ? one : { section: section_path.at(-1) };
  const named = [source, placeText(place)].filter(Boolean).join(", ");
  const choose = (/** @type {Wanted} */ wanted) => () => add(wanted);
  return h(
    "article",
    { class: "card" },
    h("header", {}, h("a", { href: `#/documents/${part(doc_id)}?chunk=${part(chunk_id)}` }, named)),
    h("div", { class: "words", tabindex: 0, role: "group", "aria-label": t("Text of the passage") }, one.content),
    h(
      "div",
      { class: "controls" },
      h(
        "button",
        {
          type: "button",
          onclick: choose({ chunk_id, source, place }),
          "aria-label": t("This place answers it: {0}", named),
        },
        t("This place answers it"),
      ),
      h(
        "button",
        {
          type: "button",
          onclick: choose({ source, place: {} }),
          "aria-label": t("The whole document answers it: {0}", source),
        },
        t("The whole document"),
      ),
      h("span", { class: "quiet" }, t("Score {0}", number(one.score, 3))),
    ),
  );
}
