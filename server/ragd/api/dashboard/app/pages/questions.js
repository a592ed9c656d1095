/** Questions that were asked, newest first: looked for by their text, or by what went wrong. */

import { get, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { badge, failure, pager, quiet, table } from "../lib/parts.js";
import { duration, number, t, time } from "../lib/text.js";
import { statusText } from "../parts/stages.js";

const ONLY = ["", "nothing_found", "degraded", "slow", "failed"];

/** @param {string} only */
function onlyText(only) {
  switch (only) {
    case "nothing_found":
      return t("Nothing found");
    case "degraded":
      return t("Worked without something");
    case "slow":
      return t("A second or more");
    case "failed":
      return t("Failed");
    default:
      return t("All questions");
  }
}

/** @type {import("../dashboard.js").Page} */
export async function questions({ query, signal, go }) {
  const asked = {
    text: query.get("text") ?? "",
    only: query.get("only") ?? "",
  };
  const page = Number(query.get("page") ?? 1);
  const [found, collections] = await Promise.all([
    get("/api/traces", { type: "query", page, ...asked }, signal),
    get("/api/collections", { page_size: 100 }, signal),
  ]);
  const text = h("input", {
    type: "search",
    name: "text",
    value: asked.text,
    "aria-label": t("Part of the question"),
    placeholder: t("Part of the question"),
  });
  const only = h(
    "select",
    { name: "only", "aria-label": t("Which questions") },
    ...ONLY.map((one) => h("option", { value: one, selected: one === asked.only }, onlyText(one))),
  );
  const look = () => go("questions", { text: text.value, only: only.value });
  only.addEventListener("change", look);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    look();
  };
  /** @param {number} to */
  const link = (to) => `#/questions?${new URLSearchParams({ ...asked, page: String(to) })}`;
  return h(
    "div",
    {},
    h("h1", {}, t("Questions")),
    ask(collections.items, go),
    h("form", { class: "controls", role: "search", onsubmit: submit }, text, only, h("button", {}, t("Find"))),
    found.items.length === 0 ? quiet(t("There are no such questions.")) : list(found.items),
    pager(found, link),
  );
}

/**
 * Asks a question and goes to its page, where it can be asked again with other settings.
 * @param {readonly { name: string, status: string }[]} collections
 * @param {(page: string) => void} go
 */
function ask(collections, go) {
  const query = h("input", {
    type: "text",
    required: true,
    "aria-label": t("Try a question"),
    placeholder: t("Try a question"),
  });
  const collection = h(
    "select",
    { "aria-label": t("Collection") },
    h("option", { value: "" }, t("All collections")),
    ...collections.filter(({ status }) => status === "enabled").map(({ name }) => h("option", { value: name }, name)),
  );
  const button = h("button", { class: "primary" }, t("Ask"));
  const said = h("div", { role: "status" });
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    said.replaceChildren(quiet(t("Asking …")));
    try {
      const chosen = collection.value ? { collection: collection.value } : {};
      const { trace_id } = await send("POST", "/api/query", { query: query.value, ...chosen });
      go(`questions/${trace_id}`);
    } catch (error) {
      said.replaceChildren(failure(error));
      button.disabled = false;
    }
  }
  return h(
    "form",
    { onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event) },
    h("div", { class: "controls" }, query, collection, button),
    said,
  );
}

/** @param {readonly any[]} rows */
function list(rows) {
  const columns = [
    { title: t("Question") },
    { title: t("Asked") },
    { title: t("Passages"), isNumber: true },
    { title: t("Time"), isNumber: true },
    { title: t("State") },
  ];
  return table(
    t("Questions"),
    columns,
    rows.map((row) => [
      h("a", { href: `#/questions/${row.trace_id}` }, row.question ?? t("(the text was not kept)")),
      time(row.started_at),
      row.results === null ? "–" : number(row.results),
      duration(row.latency_ms),
      state(row),
    ]),
  );
}

/** @param {any} row */
function state(row) {
  if (row.status !== "ok") return badge(statusText(row.status), "bad");
  if (row.results === 0) return badge(t("Nothing found"), "warn");
  if (row.degraded.length > 0) return badge(t("Without: {0}", row.degraded.join(", ")), "warn");
  return badge(statusText(row.status), "good");
}
