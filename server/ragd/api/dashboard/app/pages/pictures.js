/** Pictures of documents: what is said of each, and those that nobody could describe. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, pager, quiet, table } from "../lib/parts.js";
import { t } from "../lib/text.js";
import { thumbnail } from "../parts/pictures/pictureCard.js";
import { typeName } from "../parts/pictures/pictureFacts.js";

const STATES = ["", "described", "low_quality", "failed", "missing"];
const PAGE = 20;

/** @param {string} state */
function stateName(state) {
  switch (state) {
    case "described":
      return t("Described");
    case "low_quality":
      return t("Little could be said");
    case "failed":
      return t("Failed");
    case "missing":
      return t("Not described yet");
    default:
      return state;
  }
}

/** @type {import("../dashboard.js").Page} */
export async function pictures({ query, signal, go }) {
  const state = query.get("state") ?? "";
  const page = Number(query.get("page") ?? 1);
  const found = await get("/api/assets", { state, page, page_size: PAGE }, signal);
  const chosen = h(
    "select",
    { "aria-label": t("State"), onchange: () => go("pictures", { state: chosen.value }) },
    ...STATES.map((one) =>
      h("option", { value: one, selected: one === state }, one ? stateName(one) : t("All states")),
    ),
  );
  return h(
    "div",
    {},
    h("h1", {}, t("Pictures")),
    h(
      "div",
      { class: "controls" },
      chosen,
      action(t("Describe what is missing"), async () => {
        const { job_id } = await send("POST", "/api/assets/caption", {});
        return job_id ? t("It is in the queue.") : t("Nothing is missing.");
      }),
    ),
    found.items.length === 0 ? quiet(t("There are no such pictures.")) : list(found.items),
    pager(found, (to) => `#/pictures?${new URLSearchParams({ ...(state ? { state } : {}), page: String(to) })}`),
  );
}

/** @param {readonly any[]} rows */
function list(rows) {
  const columns = [
    { title: t("Picture") },
    { title: t("Type") },
    { title: t("What was said") },
    { title: t("Document") },
    { title: t("State") },
  ];
  return table(
    t("Pictures"),
    columns,
    rows.map((row) => [
      thumbnail(row.asset_id),
      row.image_type ? typeName(row.image_type) : "–",
      row.summary || row.caption || "–",
      h("a", { href: `#/documents/${part(row.doc_id)}` }, row.source),
      badge(stateName(row.state), row.state === "described" ? "good" : row.state === "failed" ? "bad" : "warn"),
    ]),
  );
}
