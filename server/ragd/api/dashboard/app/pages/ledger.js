/** One source: how each reading of it went, and what became of every item, with what can be done about those that are left out. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, facts, pager, quiet, section, table } from "../lib/parts.js";
import { duration, number, t, time } from "../lib/text.js";
import { brought, readNow, sourceState } from "./ledgers.js";

const STATES = ["skipped", "held", "pending", "indexed"];
const SECOND_MS = 1000;

/** @type {import("../dashboard.js").Page} */
export async function ledger({ id, query, signal, go }) {
  const path = `/api/sources/${part(id)}`;
  const state = query.get("state") || "skipped";
  const page = Number(query.get("page") ?? 1);
  const [source, { cycles, counts }, items] = await Promise.all([
    get(path, {}, signal),
    get(`${path}/ledger`, {}, signal),
    get(`${path}/ledger/items`, { state, page, page_size: 50 }, signal),
  ]);
  const hasItems = cycles.length > 0 || Object.keys(counts).length > 0;
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/ledger" }, t("Ledger"))),
    h("h1", {}, source.name),
    facts([
      [t("Type"), source.type],
      [t("Collection"), source.collection],
      [t("State"), sourceState(source)],
      [t("Documents"), number(source.document_count)],
      [t("Read last"), time(source.last_finished_at)],
      [t("Read next"), source.due_at && time(source.due_at)],
      [t("What it brought"), brought(source.last_result)],
    ]),
    h("p", {}, readNow(source)),
    hasItems
      ? section(t("Readings"), cycles.length === 0 ? quiet(t("It was not read yet.")) : cycleTable(cycles))
      : failures(source),
    hasItems && section(t("Items"), chooser(id, state, counts, go), itemPart(source, state, items)),
    hasItems && pager(items, (to) => `#/ledger/${part(id)}?${new URLSearchParams({ state, page: String(to) })}`),
  );
}

/** A folder has no items of its own: files that could not be read, of its last reading. @param {any} source */
function failures(source) {
  const failed = source.last_result?.failed ?? [];
  const columns = [{ title: t("File") }, { title: t("Why") }, { title: t("What mends it") }];
  const rows = failed.map((/** @type {any} */ one) => [
    h("a", { href: `#/documents?${new URLSearchParams({ text: one.source })}` }, one.source),
    one.message,
    action(t("Read again"), () => readAgain(source, one.source), t("Read again: {0}", one.source)),
  ]);
  return section(
    t("Files that could not be read"),
    rows.length === 0
      ? quiet(t("Every file was read."))
      : h(
          "div",
          {},
          quiet(t("Mend the file, then read it again; or remove it, then read the source.")),
          table(t("Files that could not be read"), columns, rows),
        ),
  );
}

/**
 * A reading names files, and the API reads documents again.
 * @param {{ collection: string }} source
 * @param {string} file
 */
async function readAgain({ collection }, file) {
  const found = await get("/api/documents", { collection, status: "failed", text: file, page_size: 100 });
  const document = found.items.find((/** @type {any} */ one) => one.source === file);
  if (!document) throw new Error(t("It is no longer among the documents that failed."));
  await send("POST", `/api/documents/${part(document.id)}/reindex`);
  return t("It is in the queue.");
}

/** @param {readonly any[]} cycles */
function cycleTable(cycles) {
  const columns = [
    { title: t("Started") },
    { title: t("What was compared") },
    { title: t("State") },
    { title: t("There"), isNumber: true },
    { title: t("Indexed"), isNumber: true },
    { title: t("Left out"), isNumber: true },
    { title: t("Held back"), isNumber: true },
    { title: t("Added"), isNumber: true },
    { title: t("Updated"), isNumber: true },
    { title: t("Deleted"), isNumber: true },
    { title: t("Requests"), isNumber: true },
    { title: t("Time"), isNumber: true },
    { title: t("Slowed down"), isNumber: true },
    { title: t("Notice") },
  ];
  const rows = cycles.map((cycle) => [
    time(cycle.started_at),
    kindText(cycle.kind),
    phaseBadge(cycle),
    number(cycle.remote),
    number(cycle.indexed),
    number(cycle.skipped_count),
    number(cycle.held),
    number(cycle.added),
    number(cycle.updated),
    number(cycle.deleted),
    number(cycle.requests),
    duration(cycle.active_s * SECOND_MS),
    cycle.throttled_s > 0 ? duration(cycle.throttled_s * SECOND_MS) : "–",
    cycle.notice ?? "",
  ]);
  return table(t("Readings"), columns, rows);
}

/** @param {string} kind */
function kindText(kind) {
  switch (kind) {
    case "full":
      return t("Everything with its version");
    case "incremental":
      return t("What changed");
    case "items":
      return t("Single items");
    default:
      return kind;
  }
}

/** @param {{ phase: string, complete: boolean }} cycle */
function phaseBadge({ phase, complete }) {
  switch (phase) {
    case "listing":
    case "fetching":
      return badge(t("Being read"), "plain");
    case "done":
      return complete ? badge(t("Complete"), "good") : badge(t("Not complete"), "warn");
    default:
      return badge(t("Failed"), "bad");
  }
}

/** @param {string} state */
function stateText(state) {
  switch (state) {
    case "skipped":
      return t("Left out");
    case "held":
      return t("Held back");
    case "pending":
      return t("To be read");
    case "indexed":
      return t("Indexed");
    default:
      return state;
  }
}

/**
 * @param {string} id
 * @param {string} chosen
 * @param {Record<string, number>} counts
 * @param {import("../dashboard.js").Visit["go"]} go
 */
function chooser(id, chosen, counts, go) {
  const select = h(
    "select",
    { "aria-label": t("Which items") },
    ...STATES.map((state) =>
      h("option", { value: state, selected: state === chosen }, `${stateText(state)} (${number(counts[state] ?? 0)})`),
    ),
  );
  select.addEventListener("change", () => go(`ledger/${part(id)}`, { state: select.value }));
  return h("div", { class: "controls" }, select);
}

/**
 * @param {any} source
 * @param {string} state
 * @param {{ items: readonly any[] }} found
 */
function itemPart(source, state, { items }) {
  if (items.length === 0) return quiet(t("There are no such items."));
  const all = items.some(({ reason }) => canBeRetried(reason));
  return h(
    "div",
    {},
    state === "skipped" && all && h("p", {}, retry(source, null)),
    state === "held" && held(source),
    state === "skipped" ? leftOut(source, items) : listed(items),
  );
}

/** @param {any} source */
function held(source) {
  const remove = async () => {
    await send("POST", `/api/sources/${part(source.id)}/sync`, { allow_empty: true });
    return t("It is in the queue.");
  };
  return h(
    "div",
    {},
    quiet(t("These are gone there. They are kept here, because too much went at once.")),
    h(
      "p",
      {},
      action(t("Delete them here, too"), remove, undefined, t("Delete from {0} all that is gone there?", source.name)),
    ),
  );
}

/**
 * @param {any} source
 * @param {readonly any[]} items
 */
function leftOut(source, items) {
  const columns = [
    { title: t("Item") },
    { title: t("Space or project") },
    { title: t("Why") },
    { title: t("What to do") },
    { title: t("What mends it") },
  ];
  const rows = items.map((item) => [
    named(item),
    item.container,
    h("span", {}, reasonText(item.reason), item.message && h("span", { class: "quiet" }, ` ${item.message}`)),
    adviceText(item.reason),
    canBeRetried(item.reason) && retry(source, item),
  ]);
  return table(t("Left out"), columns, rows);
}

/** @param {readonly any[]} items */
function listed(items) {
  const columns = [
    { title: t("Item") },
    { title: t("Space or project") },
    { title: t("Version") },
    { title: t("Changed there") },
    { title: t("Fetched") },
  ];
  const rows = items.map((item) => [
    named(item),
    item.container,
    item.version ?? "–",
    time(item.remote_updated_at),
    time(item.fetched_at),
  ]);
  return table(t("Items"), columns, rows);
}

/** Its title, where it may be read, and its id, which finds it on the site. @param {any} item */
function named({ id, title }) {
  return h("span", {}, title || id, title && title !== id && h("span", { class: "quiet" }, ` ${id}`));
}

/**
 * @param {any} source
 * @param {any} item null: all that were left out
 */
function retry(source, item) {
  const again = async () => {
    await send("POST", `/api/sources/${part(source.id)}/retry`, { items: item ? [item.id] : null });
    return t("It is in the queue.");
  };
  if (!item) return action(t("Try all again"), again);
  return action(t("Try again"), again, t("Try again: {0}", item.title || item.id));
}

/** What a rule of the source leaves out stays out. @param {string | null} reason */
const canBeRetried = (reason) => reason !== "filtered";

/** @param {string | null} reason */
function reasonText(reason) {
  switch (reason) {
    case "too_large":
      return t("Too large");
    case "unsupported":
      return t("A kind of file that is not read");
    case "forbidden":
      return t("Not open to the token");
    case "gone":
      return t("Gone while it was read");
    case "parse_error":
      return t("Could not be understood");
    case "empty":
      return t("Empty");
    case "filtered":
      return t("Left out by a rule of the source");
    case "failed":
      return t("The site did not give it");
    default:
      return reason ?? "";
  }
}

/** @param {string | null} reason */
function adviceText(reason) {
  switch (reason) {
    case "forbidden":
      return t("Give the account the right to read it; the next reading takes it.");
    case "failed":
      return t("The next reading tries again.");
    case "too_large":
      return t("Raise limits.max_document_size, then try again.");
    case "parse_error":
      return t("Open it there and save it anew, then try again.");
    case "unsupported":
      return t("Save it there in a type that is read.");
    case "filtered":
      return t("Change the rules of the source.");
    default:
      return t("Nothing has to be done.");
  }
}
