/** One question: its passages, of the answer and of further searches, each judged by whoever sits here. */

import { ApiError, get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { badge, failure, quiet, section } from "../lib/parts.js";
import { number, t } from "../lib/text.js";
import { endText } from "../parts/flow.js";
import { gradeChoice, gradeText } from "../parts/grades.js";
import { asAuthor, labellerField } from "../parts/labeller.js";
import { placeText } from "../parts/places.js";

const FOUND = 20;

/** @typedef {{ chunk_id: string, doc_id: string, collection: string, name: string, place: string, text: string, note: string }} Shown */

/** @typedef {{ element: HTMLElement, set: (grade: number | null) => void, grade: number | null }} Judged */

/** @type {import("../dashboard.js").Page} */
export async function labelling({ query, signal }) {
  const traceId = query.get("trace") ?? "";
  const collection = query.get("collection") ?? "";
  const asked = query.get("question") ?? "";
  const trace = traceId ? await passagesOf(traceId, asked, signal) : null;
  const question = asked || trace?.query || "";
  if (!question) {
    return h(
      "div",
      {},
      h("h1", {}, t("Labels")),
      quiet(t("The text of this question was not kept. Label it by its text, on the page of labels.")),
      h("p", {}, h("a", { href: "#/labels" }, t("Labels"))),
    );
  }
  const desk = new Desk(question, trace ? traceId : "", signal);
  if (trace) desk.add(trace.passages.map(ofTrace), t("Of the question's lists"));
  else await desk.search(question, collection, t("Found by the question"));
  await desk.load();
  const collections = await get("/api/collections", { page_size: 100 }, signal);
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/labels" }, t("Labels"))),
    h("h1", {}, question),
    quiet(t("Labels of others are not shown here, so that yours are your own.")),
    h(
      "div",
      { class: "controls judging" },
      labellerField(() => void desk.load()),
      desk.undo,
      desk.progress,
      desk.said,
    ),
    desk.places,
    section(t("Search for more passages"), searchForm(desk, collections.items, collection)),
    desk.before,
  );
}

/**
 * The passages of a trace; null where it is no more, and the question is known without it.
 * @param {string} id
 * @param {string} question
 * @param {AbortSignal} signal
 */
async function passagesOf(id, question, signal) {
  try {
    return await get(`/api/traces/${part(id)}/passages`, {}, signal);
  } catch (error) {
    if (question && error instanceof ApiError && error.code === "TRACE_NOT_FOUND") return null;
    throw error;
  }
}

/** The passages on the page, and the marks of whoever judges. */
class Desk {
  /**
   * @param {string} question
   * @param {string} traceId
   * @param {AbortSignal} signal
   */
  constructor(question, traceId, signal) {
    this.question = question;
    this.traceId = traceId;
    this.signal = signal;
    /** @type {Map<string, Judged>} */
    this.passages = new Map();
    /** Ids of marks, the newest last. @type {string[]} */
    this.marks = [];
    /** One after the other: the order of marks counts. @type {Promise<void>} */
    this.work = Promise.resolve();
    this.places = h("div", {});
    this.before = h("div", {});
    this.progress = h("span", { class: "quiet", role: "status" });
    this.said = h("span", { role: "status" });
    this.undo = h("button", { onclick: () => void this.next(() => this.takeBack()) }, t("Undo"));
  }

  /** @param {() => Promise<void>} step */
  next(step) {
    this.work = this.work.then(step).catch((error) => {
      this.said.replaceChildren(failure(error));
    });
    return this.work;
  }

  /**
   * Puts passages on the page that are not on it yet; gives how many.
   * @param {readonly Shown[]} passages
   * @param {string} title
   */
  add(passages, title) {
    const fresh = passages.filter(({ chunk_id }) => !this.passages.has(chunk_id));
    if (fresh.length > 0) this.places.append(section(title, ...fresh.map((passage) => this.card(passage))));
    this.show();
    return fresh.length;
  }

  /** @param {Shown} passage */
  card(passage) {
    const choice = gradeChoice(t("Does it answer the question? {0}", `${passage.name} ${passage.place}`), (grade) => {
      void this.next(() => this.mark(passage, grade));
    });
    choice.set(null);
    this.passages.set(passage.chunk_id, { ...choice, grade: null });
    const link = `#/documents/${part(passage.doc_id)}?chunk=${part(passage.chunk_id)}`;
    return h(
      "article",
      { class: "card judged" },
      h(
        "header",
        {},
        h("a", { href: link }, passage.name),
        h("span", { class: "quiet" }, ` ${[passage.place, passage.collection].filter(Boolean).join(" · ")} `),
        passage.note && badge(passage.note, passage.note === endText("context") ? "good" : "plain"),
      ),
      h("div", { class: "words", tabindex: 0, role: "group", "aria-label": t("Text of the passage") }, passage.text),
      choice.element,
    );
  }

  /**
   * @param {Shown} passage
   * @param {number | null} grade
   */
  async mark(passage, grade) {
    const { question, traceId } = this;
    const { chunk_id, collection } = passage;
    const of = traceId ? { trace_id: traceId } : {};
    const known = this.passages.get(chunk_id);
    try {
      const kept = await send("POST", "/api/labels", { question, collection, chunk_id, grade, ...asAuthor(), ...of });
      this.marks.push(kept.label_id);
      if (known) known.grade = grade;
      this.said.replaceChildren(t("Kept: {0}", gradeText(grade)));
    } catch (error) {
      known?.set(known.grade);
      throw error;
    } finally {
      this.show();
    }
  }

  async takeBack() {
    const last = this.marks.pop();
    if (!last) return;
    await send("DELETE", `/api/labels/${part(last)}`);
    const marks = this.marks;
    await this.load();
    // Marks that were replaced are in no list, and can be taken back all the same.
    this.marks = marks;
    this.said.replaceChildren(t("Taken back"));
    this.show();
  }

  /** What was judged before by whoever sits here. */
  async load() {
    const found = await get(
      "/api/labels",
      { question: this.question, mine: true, page_size: 100, ...asAuthor() },
      this.signal,
    );
    const own = [...found.items].sort((a, b) => a.position - b.position);
    this.marks = own.map(({ label_id }) => label_id);
    for (const passage of this.passages.values()) this.give(passage, null);
    const elsewhere = own.filter(({ chunk_id, text }) => chunk_id && text !== null && !this.passages.has(chunk_id));
    this.add(elsewhere.map(ofLabel), t("Judged before"));
    for (const { chunk_id, grade } of own) {
      /** @type {Judged | undefined} */
      const passage = this.passages.get(chunk_id);
      if (passage) this.give(passage, grade);
    }
    this.before.replaceChildren(...lost(own.filter(({ chunk_id }) => !chunk_id)));
    this.said.replaceChildren();
    this.show();
  }

  /**
   * @param {Judged} passage
   * @param {number | null} grade
   */
  give(passage, grade) {
    passage.grade = grade;
    passage.set(grade);
  }

  show() {
    const judged = [...this.passages.values()].filter(({ grade }) => grade !== null).length;
    this.progress.replaceChildren(t("{0} of {1} passages judged", number(judged), number(this.passages.size)));
    this.undo.disabled = this.marks.length === 0;
  }

  /**
   * @param {string} text
   * @param {string} collection
   * @param {string} title
   */
  async search(text, collection, title) {
    const chosen = collection ? { collection } : {};
    const { results } = await send("POST", "/api/query", { query: text, top_k: FOUND, ...chosen });
    return this.add(results.map(ofResult), title);
  }
}

/**
 * @param {Desk} desk
 * @param {readonly { name: string, status: string }[]} collections
 * @param {string} chosen
 */
function searchForm(desk, collections, chosen) {
  const text = h("input", {
    type: "search",
    required: true,
    "aria-label": t("Other words"),
    placeholder: t("Other words"),
  });
  const collection = h(
    "select",
    { "aria-label": t("Collection") },
    h("option", { value: "" }, t("All collections")),
    ...collections
      .filter(({ status }) => status === "enabled")
      .map(({ name }) => h("option", { value: name, selected: name === chosen }, name)),
  );
  const said = h("div", { role: "status" });
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    try {
      const added = await desk.search(text.value, collection.value, t("Found by: {0}", text.value));
      await desk.next(() => desk.load());
      said.replaceChildren(
        added > 0 ? t("{0} more passages stand above.", number(added)) : t("All that was found stands above already."),
      );
    } catch (error) {
      said.replaceChildren(failure(error));
    }
  }
  return h(
    "form",
    { onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event) },
    h("div", { class: "controls" }, text, collection, h("button", {}, t("Find"))),
    said,
  );
}

/** Labels whose passage is not there as it was. @param {readonly any[]} labels */
function lost(labels) {
  if (labels.length === 0) return [];
  const rows = labels.map((label) =>
    h(
      "li",
      {},
      `${label.restricted ? t("A passage that you may not see") : where(label)}: ${gradeText(label.grade)}. `,
      why(label),
    ),
  );
  return [section(t("Judged before, and not there as it was"), h("ul", {}, ...rows))];
}

/** @param {any} label */
const where = ({ title, source, place, section: heading }) =>
  [title || source, placeText(place) || heading].filter(Boolean).join(" · ");

/** @param {any} label */
function why({ restricted, state }) {
  if (restricted) return "";
  switch (state) {
    case "cut_otherwise":
      return t("The document was cut otherwise since; the label counts for the same place.");
    case "changed":
      return t("The document changed since; the label counts no more until the passage is judged again.");
    default:
      return t("The document is gone; the label counts no more.");
  }
}

/** @param {any} passage @returns {Shown} */
const ofTrace = ({ chunk_id, doc_id, collection, source, title, place, text, end }) => ({
  chunk_id,
  doc_id,
  collection,
  name: title || source,
  place,
  text,
  note: endText(end),
});

/** @param {any} result @returns {Shown} */
const ofResult = (result) => ({
  chunk_id: result.chunk_id,
  doc_id: result.doc_id,
  collection: result.collection,
  name: result.title || result.source,
  place: [placeText(result), result.section_path.at(-1)].filter(Boolean).join(" · "),
  text: result.content,
  note: "",
});

/** @param {any} label @returns {Shown} */
const ofLabel = (label) => ({
  chunk_id: label.chunk_id,
  doc_id: label.doc_id,
  collection: label.collection,
  name: label.title || label.source,
  place: [placeText(label.place), label.section].filter(Boolean).join(" · "),
  text: label.text,
  note: "",
});
