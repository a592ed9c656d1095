/** Pictures of documents: what is said of each, and those that nobody could describe. */

import { address, get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, pager, quiet, table } from "../lib/parts.js";
import { number, t } from "../lib/text.js";
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
  const sameAs = query.get("same_as") ?? "";
  const page = Number(query.get("page") ?? 1);
  const asked = { state, same_as: sameAs, fold: sameAs === "", page, page_size: PAGE };
  const found = await get("/api/assets", asked, signal);
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
    sameAs && h("p", {}, t("These show the same."), " ", h("a", { href: "#/pictures" }, t("All pictures"))),
    found.items.length === 0 ? quiet(t("There are no such pictures.")) : list(found.items),
    pager(found, (to) => address("#/pictures", { state, same_as: sameAs, page: to })),
  );
}

/** One picture for all that show the same, with the way to them. @param {any} row */
function withOthers({ asset_id, more }) {
  const others = h("a", { href: `#/pictures?same_as=${part(asset_id)}` }, t("and {0} more like it", number(more)));
  return h("div", {}, thumbnail(asset_id), h("div", {}, others));
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
      row.more > 0 ? withOthers(row) : thumbnail(row.asset_id),
      row.image_type ? typeName(row.image_type) : "–",
      row.summary || row.caption || "–",
      h("a", { href: `#/documents/${part(row.doc_id)}` }, row.source),
      badge(stateName(row.state), row.state === "described" ? "good" : row.state === "failed" ? "bad" : "warn"),
    ]),
  );
}
