/** The first page: what answers, what there is and how it grows, how questions and ingestions went, and what needs attention. */

import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { facts, section, table } from "../lib/parts.js";
import { duration, number, t } from "../lib/text.js";
import { attention } from "./attention.js";

/** @type {import("../dashboard.js").Page} */
export async function overview({ signal }) {
  const [status, held] = await Promise.all([get("/api/status", {}, signal), get("/api/overview", {}, signal)]);
  return h(
    "div",
    {},
    h("h1", {}, t("Overview")),
    h(
      "div",
      { class: "tiles" },
      tile(t("Documents"), held.documents),
      tile(t("Chunks"), held.chunks),
      tile(t("Pictures"), held.pictures),
    ),
    await attention(status, signal),
    section(t("Questions and ingestions"), activity(held)),
    section(t("What answers"), parts(status)),
  );
}

/**
 * @param {string} name
 * @param {{ total: number, day: number, month: number }} growth
 */
function tile(name, { total, day, month }) {
  return h(
    "div",
    { class: "card tile" },
    h("div", { class: "quiet" }, name),
    h("div", { class: "figure" }, number(total)),
    h("div", { class: "quiet" }, t("{0} new in 24 hours, {1} in 30 days", number(day), number(month))),
  );
}

/** @param {any} held */
function activity({ queries, ingestions, cache }) {
  const columns = [
    { title: t("What") },
    { title: t("How many"), isNumber: true },
    { title: t("Time, half"), isNumber: true },
    { title: t("Time, 95 %"), isNumber: true },
    { title: t("Failed"), isNumber: true },
    { title: t("Worked without something"), isNumber: true },
    { title: t("Nothing found"), isNumber: true },
  ];
  /** @type {[string, any, boolean][]} */
  const spans = [
    [t("Questions, 24 hours"), queries.day, true],
    [t("Questions, 30 days"), queries.month, true],
    [t("Files read, 24 hours"), ingestions.day, false],
    [t("Files read, 30 days"), ingestions.month, false],
  ];
  const rows = spans.map(([name, one, asked]) => [
    name,
    number(one.count),
    duration(one.p50_ms),
    duration(one.p95_ms),
    asked ? counted(one.failed, "failed") : number(one.failed),
    asked ? counted(one.degraded, "degraded") : number(one.degraded),
    asked ? counted(one.nothing_found, "nothing_found") : "–",
  ]);
  const all = cache.hits + cache.misses;
  const shares =
    all > 0 && t("{0} of {1} vectors of the newest files were there already.", number(cache.hits), number(all));
  return h(
    "div",
    {},
    table(t("Questions and ingestions"), columns, rows),
    shares && h("p", { class: "quiet" }, shares),
  );
}

/**
 * A number that leads to what it counts.
 * @param {number} count
 * @param {string} only
 */
const counted = (count, only) =>
  count > 0 ? h("a", { href: `#/questions?only=${only}` }, number(count)) : number(count);

/** @param {any} status */
function parts({ version, model, reranker, llm, stores, token_index }) {
  return facts([
    [t("Version"), version],
    [
      t("Embedding model"),
      joined(model.provider, model.id, model.device, model.dim && t("{0} dimensions", number(model.dim))),
    ],
    [t("Reranking"), joined(reranker.provider, reranker.name, reranker.profile, reranker.device)],
    [t("Language model"), joined(llm.provider, llm.model)],
    [t("Database"), stores.facts],
    [t("Index of meaning"), stores.dense],
    [t("Index of words"), stores.sparse],
    [t("Kept token vectors"), tokens(token_index)],
  ]);
}

/** @param {{ provider: string, building: { done: number, total: number } | null }} index */
const tokens = ({ provider, building }) =>
  building ? `${provider}, ${t("{0} of {1} documents", number(building.done), number(building.total))}` : provider;

/** @param {...(string | number | null | undefined)} values */
const joined = (...values) => [...new Set(values.filter(Boolean))].join(", ");
