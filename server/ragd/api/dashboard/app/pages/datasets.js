/** Datasets of questions that the daemon keeps, and how to make another one. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { failure, pager, quiet, section, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { choice, field } from "../parts/fields.js";

/** @type {import("../dashboard.js").Page} */
export async function datasets({ query, signal, go }) {
  const page = Number(query.get("page") ?? 1);
  const [found, collections] = await Promise.all([
    get("/api/datasets", { page, page_size: 50 }, signal),
    get("/api/collections", { page_size: 100 }, signal),
  ]);
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/evaluation" }, t("Evaluation"))),
    h("h1", {}, t("Datasets of questions")),
    quiet(
      t(
        "Each question with what answers it. A run asks them all, and names the version by its digest: rag eval run, too.",
      ),
    ),
    found.items.length === 0 ? quiet(t("There is none yet.")) : list(found.items),
    pager(found, (to) => `#/datasets?page=${to}`),
    section(t("Create a dataset"), makeForm(go)),
    section(
      t("From questions that were asked"),
      quiet(
        t(
          "A sample of the kept questions, each once, to be labelled: they are measured once somebody has said what answers them.",
        ),
      ),
      sampleForm(
        collections.items.map((/** @type {any} */ { name }) => name),
        go,
      ),
    ),
  );
}

/** @param {readonly any[]} rows */
function list(rows) {
  const columns = [
    { title: t("Dataset") },
    { title: t("Questions"), isNumber: true },
    { title: t("Version"), isNumber: true },
    { title: t("Digest") },
    { title: t("Changed") },
    { title: t("Changed by") },
  ];
  return table(
    t("Datasets of questions"),
    columns,
    rows.map((one) => [
      h("a", { href: `#/datasets/${part(one.name)}` }, one.name),
      number(one.questions),
      number(one.position),
      h("code", {}, one.digest.slice(0, 8)),
      time(one.created_at),
      one.author,
    ]),
  );
}

/** @param {import("../dashboard.js").Visit["go"]} go */
function makeForm(go) {
  const name = h("input", { type: "text", required: true, maxlength: 64 });
  const file = h("input", { type: "file", accept: ".yaml,.yml" });
  const rows = h(
    "div",
    { class: "controls" },
    field(t("Name"), name),
    field(t("From a YAML file (else empty)"), file),
    h("button", { class: "primary" }, t("Create")),
  );
  return creating(go, name, rows, async () => {
    const text = (await file.files?.[0]?.text()) ?? "";
    await send("POST", "/api/datasets", { name: name.value.trim(), text });
  });
}

/**
 * A form that makes a dataset and goes to its page.
 * @param {import("../dashboard.js").Visit["go"]} go
 * @param {HTMLInputElement} name
 * @param {HTMLElement} rows
 * @param {() => Promise<unknown>} make
 */
function creating(go, name, rows, make) {
  const said = h("div", { role: "status" });
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    try {
      await make();
      go(`datasets/${part(name.value.trim())}`);
    } catch (error) {
      said.replaceChildren(failure(error));
    }
  }
  return h("form", { onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event) }, rows, said);
}

const WHICH = ["all", "nothing_found", "slow", "degraded", "failed", "feedback", "up", "down"];

/** @param {string} which */
function whichText(which) {
  switch (which) {
    case "nothing_found":
      return t("Nothing found");
    case "slow":
      return t("A second or more");
    case "degraded":
      return t("Worked without something");
    case "failed":
      return t("Failed");
    case "feedback":
      return t("With feedback");
    case "up":
      return t("Thumb up");
    case "down":
      return t("Thumb down");
    default:
      return t("All questions");
  }
}

/**
 * @param {readonly string[]} collections
 * @param {import("../dashboard.js").Visit["go"]} go
 */
function sampleForm(collections, go) {
  const name = h("input", { type: "text", required: true, maxlength: 64 });
  const whole = (/** @type {number} */ min, /** @type {number} */ value) =>
    h("input", { type: "number", min, step: 1, value, required: true, class: "short" });
  const [count, seed] = [whole(1, 50), whole(0, 1)];
  const [since, until] = [h("input", { type: "date" }), h("input", { type: "date" })];
  const collection = choice(["", ...collections], (one) => one || t("All collections"));
  const which = choice(WHICH, whichText);
  const consent = h("input", { type: "checkbox", required: true });
  const rows = h(
    "div",
    {},
    h(
      "div",
      { class: "controls" },
      field(t("Name of the sample"), name),
      field(t("Which questions are drawn"), which),
      field(t("Collection"), collection),
    ),
    h(
      "div",
      { class: "controls" },
      field(t("Asked since"), since),
      field(t("Asked until"), until),
      field(t("How many"), count),
      field(t("Seed (the same draws the same questions)"), seed),
    ),
    field(t("Those who asked agree that their questions are kept in a dataset"), consent),
    h("div", { class: "controls" }, h("button", { class: "primary" }, t("Draw a sample"))),
  );
  return creating(go, name, rows, () =>
    send("POST", "/api/datasets/sample", {
      name: name.value.trim(),
      count: count.valueAsNumber,
      seed: seed.valueAsNumber,
      since: since.value || null,
      until: until.value || null,
      collection: collection.value || null,
      which: which.value,
      consent: consent.checked,
    }),
  );
}
