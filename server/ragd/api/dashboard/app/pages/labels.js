/** What people judged: questions with labels, how far those agree who gave them, and how datasets are made of it. */

import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { failure, folded, pager, quiet, section, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { GRADES, gradeText } from "../parts/grades.js";

const LEVEL = [0, 1, 2];

/** @type {import("../dashboard.js").Page} */
export async function labels({ query, signal, go }) {
  const collection = query.get("collection") ?? "";
  const page = Number(query.get("page") ?? 1);
  const [found, collections] = await Promise.all([
    get("/api/labels/questions", { collection, page, page_size: 20 }, signal),
    get("/api/collections", { page_size: 100 }, signal),
  ]);
  // It is counted from every label, so the page does not wait for it.
  const agreed = section(t("Agreement"), quiet(t("Being checked …")));
  void get("/api/labels/agreement", { collection }, signal).then(
    ({ pairs }) => agreed.lastChild?.replaceWith(agreement(pairs)),
    (error) => agreed.lastChild?.replaceWith(failure(error)),
  );
  /** @param {number} to */
  const link = (to) => `#/labels?${new URLSearchParams({ collection, page: String(to) })}`;
  return h(
    "div",
    {},
    h("h1", {}, t("Labels")),
    quiet(t("Say which passages answer a question: that is what the quality of answers is measured by.")),
    section(t("Label a question"), ask(collections.items, go)),
    section(
      t("Labelled questions"),
      filter(collections.items, collection, go),
      found.items.length === 0
        ? quiet(t("There are no labels yet. Begin with a question above, or on the page of one that was asked."))
        : list(found.items),
      pager(found, link),
    ),
    agreed,
    section(
      t("Measure with them"),
      quiet(t("On the command line; the first makes a file of questions, the second measures with it:")),
      h(
        "pre",
        { class: "commands" },
        `rag eval labels export --format golden --out labels.yaml\nrag eval run --dataset labels.yaml --collection ${collection || "default"}`,
      ),
    ),
  );
}

/**
 * @param {readonly { name: string, status: string }[]} collections
 * @param {import("../dashboard.js").Visit["go"]} go
 */
function ask(collections, go) {
  const question = h("input", {
    type: "text",
    required: true,
    "aria-label": t("A question to label"),
    placeholder: t("A question to label"),
  });
  const collection = choice(collections, "");
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    go("labels/mark", { question: question.value, collection: collection.value });
  };
  return h(
    "form",
    { class: "controls", onsubmit: submit },
    question,
    collection,
    h("button", { class: "primary" }, t("Label")),
  );
}

/**
 * @param {readonly { name: string, status: string }[]} collections
 * @param {string} chosen
 */
function choice(collections, chosen) {
  const enabled = collections.filter(({ name, status }) => status === "enabled" || name === chosen);
  return h(
    "select",
    { "aria-label": t("Collection") },
    h("option", { value: "" }, t("All collections")),
    ...enabled.map(({ name }) => h("option", { value: name, selected: name === chosen }, name)),
  );
}

/**
 * @param {readonly { name: string, status: string }[]} collections
 * @param {string} chosen
 * @param {import("../dashboard.js").Visit["go"]} go
 */
function filter(collections, chosen, go) {
  const collection = choice(collections, chosen);
  collection.setAttribute("aria-label", t("Labels of this collection"));
  collection.addEventListener("change", () => go("labels", { collection: collection.value }));
  return h("div", { class: "controls" }, collection);
}

/** @param {readonly any[]} rows */
function list(rows) {
  const columns = [
    { title: t("Question") },
    { title: t("Collection") },
    { title: t("Passages judged") },
    { title: t("Labelled last") },
  ];
  return table(
    t("Labelled questions"),
    columns,
    rows.map(({ question, collection, authors, last_at }) => [
      h("a", { href: `#/labels/mark?${new URLSearchParams({ question, collection })}` }, question),
      collection,
      Object.entries(authors)
        .map(([author, count]) => `${author} ${number(count)}`)
        .join(", "),
      time(last_at),
    ]),
  );
}

/** @param {readonly any[]} pairs */
function agreement(pairs) {
  if (pairs.length === 0) return quiet(t("No two people have judged the same passage of a question yet."));
  const columns = [
    { title: t("Who") },
    { title: t("Passages both judged"), isNumber: true },
    { title: t("Alike"), isNumber: true },
    { title: t("Cohen's kappa"), isNumber: true },
    { title: t("Weighted kappa"), isNumber: true },
    { title: t("Grade by grade") },
  ];
  const rows = pairs.map((pair) => [
    `${pair.first} – ${pair.second}`,
    number(pair.passages),
    t("{0} %", number(pair.agreed * 100)),
    pair.kappa === null ? "–" : t("{0} ({1} to {2})", number(pair.kappa, 2), number(pair.low, 2), number(pair.high, 2)),
    pair.weighted_kappa === null ? "–" : number(pair.weighted_kappa, 2),
    folded(t("Show"), () => counts(pair)),
  ]);
  return h(
    "div",
    {},
    table(t("Agreement"), columns, rows),
    quiet(
      t(
        "Kappa is 1 where both agree in all, and 0 where they agree as often as by chance (Cohen 1960); the interval is of 95 %. Weighted, a difference of two grades counts four times.",
      ),
    ),
  );
}

/** @param {any} pair */
function counts({ first, second, table: of }) {
  return table(
    t("{0} in rows, {1} in columns", first, second),
    [{ title: first }, ...GRADES.map((grade) => ({ title: gradeText(grade), isNumber: true }))],
    [...LEVEL].reverse().map((row) => [gradeText(row), ...GRADES.map((column) => number(of[row][column]))]),
  );
}
