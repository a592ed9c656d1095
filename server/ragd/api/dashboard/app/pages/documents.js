/** Documents: looked for by a part of their path or title, by collection, by state. */

import { get, part } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { badge, pager, quiet, table } from "../lib/parts.js";
import { number, size, t, time } from "../lib/text.js";

const STATES = ["", "ready", "processing", "failed", "deleted"];

/** @param {string} status */
export function documentState(status) {
  switch (status) {
    case "ready":
      return t("Ready");
    case "processing":
      return t("Being read");
    case "failed":
      return t("Failed");
    case "deleted":
      return t("Deleted");
    default:
      return status;
  }
}

/** @param {any} document */
export function documentBadge({ status, error }) {
  const kind = status === "ready" ? "good" : status === "failed" ? "bad" : "warn";
  return h("span", {}, badge(documentState(status), kind), error?.message ? ` ${error.message}` : "");
}

/** @type {import("../dashboard.js").Page} */
export async function documents({ query, signal, go }) {
  const asked = {
    text: query.get("text") ?? "",
    collection: query.get("collection") ?? "",
    status: query.get("status") ?? "",
  };
  const page = Number(query.get("page") ?? 1);
  const [found, collections] = await Promise.all([
    get("/api/documents", { ...asked, page, page_size: 50 }, signal),
    get("/api/collections", { page_size: 100 }, signal),
  ]);
  const text = h("input", {
    type: "search",
    name: "text",
    value: asked.text,
    "aria-label": t("Part of a path or title"),
    placeholder: t("Part of a path or title"),
  });
  const collection = h(
    "select",
    { name: "collection", "aria-label": t("Collection") },
    h("option", { value: "" }, t("All collections")),
    ...collections.items.map((/** @type {any} */ { name }) =>
      h("option", { value: name, selected: name === asked.collection }, name),
    ),
  );
  const status = h(
    "select",
    { name: "status", "aria-label": t("State") },
    ...STATES.map((one) =>
      h("option", { value: one, selected: one === asked.status }, one ? documentState(one) : t("All states")),
    ),
  );
  const look = () => go("documents", { text: text.value, collection: collection.value, status: status.value });
  for (const select of [collection, status]) select.addEventListener("change", look);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    look();
  };
  /** @param {number} to */
  const link = (to) => `#/documents?${new URLSearchParams({ ...asked, page: String(to) })}`;
  return h(
    "div",
    {},
    h("h1", {}, t("Documents")),
    h(
      "form",
      { class: "controls", role: "search", onsubmit: submit },
      text,
      collection,
      status,
      h("button", {}, t("Find")),
    ),
    found.items.length === 0 ? quiet(t("There are no such documents.")) : list(found.items),
    pager(found, link),
  );
}

/** @param {readonly any[]} rows */
function list(rows) {
  const columns = [
    { title: t("Document") },
    { title: t("Collection") },
    { title: t("Type") },
    { title: t("Size"), isNumber: true },
    { title: t("Chunks"), isNumber: true },
    { title: t("Changed") },
    { title: t("State") },
  ];
  return table(
    t("Documents"),
    columns,
    rows.map((row) => [
      row.restricted
        ? t("A document that you may not see")
        : h("a", { href: `#/documents/${part(row.id)}` }, row.title || row.source),
      row.collection,
      row.doc_type,
      size(row.size),
      number(row.chunk_count),
      time(row.updated_at),
      documentBadge(row),
    ]),
  );
}
