/** What every source brought, when, and what mends it where something failed. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, folded, pager, quiet, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { trouble } from "./attention.js";

/** @type {import("../dashboard.js").Page} */
export async function ledgers({ query, signal }) {
  const page = Number(query.get("page") ?? 1);
  const found = await get("/api/sources", { page, page_size: 50 }, signal);
  /** @param {number} to */
  const link = (to) => `#/ledger?page=${to}`;
  return h(
    "div",
    {},
    h("h1", {}, t("Ledger")),
    quiet(
      t(
        "What each source brought when it was read last, and what became of every item. Files that were added by hand are under Ingestion.",
      ),
    ),
    found.items.length === 0 ? quiet(t("There are no sources.")) : list(found.items),
    pager(found, link),
  );
}

/** @param {readonly any[]} sources */
function list(sources) {
  const columns = [
    { title: t("Source") },
    { title: t("Type") },
    { title: t("Collection") },
    { title: t("Documents"), isNumber: true },
    { title: t("Read last") },
    { title: t("What it brought") },
    { title: t("State") },
    { title: t("Read next") },
    { title: t("What mends it") },
  ];
  const rows = sources.map((source) => [
    h("a", { href: `#/ledger/${part(source.id)}` }, source.name),
    source.type,
    source.collection,
    number(source.document_count),
    time(source.last_finished_at),
    brought(source.last_result),
    sourceState(source),
    time(source.due_at),
    readNow(source),
  ]);
  return table(t("Sources"), columns, rows);
}

/** Counts of a reading, and each file that could not be read with its reason. @param {any} result */
export function brought(result) {
  if (!result) return "–";
  const counts = [
    [t("added"), result.added],
    [t("updated"), result.updated],
    [t("moved"), result.moved],
    [t("deleted"), result.deleted],
    [t("unchanged"), result.unchanged],
    [t("left out"), result.skipped],
    [t("failed"), result.failed_count],
  ].flatMap(([name, count]) => (count > 0 ? [`${name} ${number(count)}`] : []));
  const text = counts.join(", ") || t("nothing");
  if (result.failed.length === 0) return text;
  return folded(text, () =>
    h("ul", {}, ...result.failed.map((/** @type {any} */ one) => h("li", {}, `${one.source}: ${one.message}`))),
  );
}

/** @param {any} source */
export function sourceState(source) {
  if (!source.enabled) return badge(t("Paused"), "plain");
  if (source.state === "syncing") return badge(t("Being read"), "plain");
  const why = trouble(source, Date.now());
  if (!why) return badge(t("Well"), "good");
  return h(
    "span",
    {},
    badge(source.last_error ? t("Failed") : t("Look at it"), source.last_error ? "bad" : "warn"),
    ` ${why}`,
  );
}

/** @param {any} source */
export function readNow(source) {
  const read = async () => {
    await send("POST", `/api/sources/${part(source.id)}/sync`, {});
    return t("It is in the queue.");
  };
  return action(t("Read now"), read, t("Read now: {0}", source.name));
}
