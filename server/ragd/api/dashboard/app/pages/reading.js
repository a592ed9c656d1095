/** How one file was read: each stage with its time and what it counted, beside another reading, and whether it would be read so today. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, facts, failure, quiet, section, table, tree } from "../lib/parts.js";
import { duration, number, t, time } from "../lib/text.js";
import { eventView, looseEvents, stageName, statusText, waterfall } from "../parts/stages.js";

/**
 * The newest readings, as a table that comes when it is there.
 * @param {Record<string, string>} wanted
 */
export function readings(wanted) {
  const place = h("div", {}, quiet(t("Being looked for …")));
  get("/api/traces", { type: "ingestion", page_size: 20, ...wanted }).then(
    ({ items, total }) =>
      place.replaceChildren(
        items.length === 0 ? quiet(t("No reading is kept.")) : readingTable(items),
        total > items.length ? quiet(t("These are the newest of {0}.", number(total))) : "",
      ),
    (error) => place.replaceChildren(failure(error)),
  );
  return place;
}

/** @param {readonly any[]} rows */
function readingTable(rows) {
  const columns = [
    { title: t("Started") },
    { title: t("Document") },
    { title: t("Time"), isNumber: true },
    { title: t("State") },
  ];
  return table(
    t("Files that were read"),
    columns,
    rows.map((row) => [
      h("a", { href: `#/ingestion/${part(row.trace_id)}` }, time(row.started_at)),
      row.document ? h("a", { href: `#/documents/${part(row.document.doc_id)}` }, row.document.source) : "–",
      duration(row.latency_ms),
      badge(statusText(row.status), row.status === "ok" ? "good" : "bad"),
    ]),
  );
}

/** @type {import("../dashboard.js").Page} */
export async function reading({ id, query, signal, go }) {
  const trace = await get(`/api/traces/${part(id)}`, {}, signal);
  const against = query.get("against") ?? "";
  const doc_id = payload(trace, "ingest.dedup_decision")["doc_id"];
  const [known, others, other] = await Promise.all([
    doc_id ? get(`/api/documents/${part(doc_id)}`, {}, signal).catch(() => null) : null,
    doc_id ? get("/api/traces", { doc_id, page_size: 20 }, signal) : { items: [] },
    against ? get(`/api/traces/${part(against)}`, {}, signal) : null,
  ]);
  const rest = others.items.filter((/** @type {any} */ one) => one.trace_id !== id);
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/ingestion" }, t("Ingestion"))),
    h("h1", {}, known ? known.title || known.source : t("How it was read")),
    h(
      "p",
      { class: "badges" },
      badge(statusText(trace.status), trace.status === "ok" ? "good" : "bad"),
      h("span", { class: "quiet" }, `${time(trace.started_at)} · ${duration(trace.aggregates.latency_ms)}`),
      known && h("a", { href: `#/documents/${part(doc_id)}` }, t("The document")),
    ),
    section(t("Stages"), waterfall(trace), ...looseEvents(trace).map(eventView)),
    doc_id && section(t("Would it be read the same today?"), today(id)),
    rest.length > 0 &&
      section(t("Beside another reading"), chooser(id, rest, against, go), other && beside(trace, other)),
    section(
      t("About this reading"),
      facts([
        [t("Counters"), tree(trace.aggregates.counters)],
        [t("Errors"), trace.aggregates.errors.length > 0 && tree(trace.aggregates.errors)],
        [t("Version"), trace.build],
        [t("Trace"), h("code", {}, trace.trace_id)],
      ]),
    ),
  );
}

/**
 * @param {any} trace
 * @param {string} kind
 * @returns {Record<string, any>}
 */
const payload = (trace, kind) => trace.events.find((/** @type {any} */ event) => event.kind === kind)?.payload ?? {};

/** @param {string} id */
function today(id) {
  const outcome = h("div", { role: "status" });
  return h(
    "div",
    {},
    quiet(t("The file is read again up to its chunks, and nothing of it is stored.")),
    action(t("Read it again, to compare"), async () => {
      outcome.replaceChildren(compared(await send("POST", `/api/traces/${part(id)}/replay`, {})));
    }),
    outcome,
  );
}

/** @param {any} answer as `POST /api/traces/{id}/replay` gives it */
export function compared(answer) {
  const { chunks, failed } = answer;
  return h(
    "div",
    {},
    h(
      "p",
      { class: "badges" },
      answer.same ? badge(t("It would be read the same"), "good") : badge(t("It would be read otherwise"), "warn"),
    ),
    ...answer.notes.map((/** @type {string} */ note) => quiet(note)),
    failed?.after && failure(new Error(failed.after.message)),
    chunks &&
      facts([
        [t("Chunks then"), number(chunks.before ?? 0)],
        [t("Chunks now"), number(chunks.after ?? 0)],
      ]),
    ...["new", "gone"].map((name) => placed(name, chunks?.[name] ?? [])),
    differences(t("Counted otherwise"), answer.values ?? []),
    differences(t("Done by others"), answer.providers ?? []),
  );
}

/**
 * @param {string} name
 * @param {readonly any[]} chunks
 */
function placed(name, chunks) {
  if (chunks.length === 0) return null;
  const title = name === "new" ? t("Chunks that would be new") : t("Chunks that would be gone");
  return h(
    "div",
    {},
    h("h3", {}, title),
    h("ul", {}, ...chunks.map((one) => h("li", {}, one.place || one.section_path.join(" › ")))),
  );
}

/**
 * @param {string} title
 * @param {readonly { name: string, before: unknown, after: unknown }[]} rows
 */
function differences(title, rows) {
  if (rows.length === 0) return null;
  const columns = [{ title: t("What") }, { title: t("Then") }, { title: t("Now") }];
  return h(
    "div",
    {},
    h("h3", {}, title),
    table(
      title,
      columns,
      rows.map(({ name, before, after }) => [name, tree(before), tree(after)]),
    ),
  );
}

/**
 * @param {string} id
 * @param {readonly any[]} rest
 * @param {string} against
 * @param {import("../dashboard.js").Visit["go"]} go
 */
function chooser(id, rest, against, go) {
  const select = h(
    "select",
    { "aria-label": t("Beside another reading") },
    h("option", { value: "" }, t("Choose a reading")),
    ...rest.map(({ trace_id, started_at }) =>
      h("option", { value: trace_id, selected: trace_id === against }, time(started_at)),
    ),
  );
  select.addEventListener("change", () => go(`ingestion/${part(id)}`, { against: select.value }));
  return h("div", { class: "controls" }, select);
}

/**
 * Times of the stages, and what they counted, of two readings.
 * @param {any} trace
 * @param {any} other
 */
function beside(trace, other) {
  const taken = (/** @type {any} */ one) =>
    new Map(one.spans.map((/** @type {any} */ { name, start_ms, end_ms }) => [name, end_ms - start_ms]));
  const [here, there] = [taken(trace), taken(other)];
  const columns = [
    { title: t("Stage") },
    { title: t("This reading"), isNumber: true },
    { title: t("The other"), isNumber: true },
  ];
  const rows = [...new Set([...here.keys(), ...there.keys()])].map((name) => [
    stageName(name),
    duration(here.get(name)),
    duration(there.get(name)),
  ]);
  const kinds = new Set([...trace.events, ...other.events].map(({ kind }) => kind));
  const counted = [...kinds].flatMap((kind) => {
    const [mine, its] = [payload(trace, kind), payload(other, kind)];
    return [...new Set([...Object.keys(mine), ...Object.keys(its)])]
      .filter((name) => JSON.stringify(mine[name]) !== JSON.stringify(its[name]))
      .map((name) => ({ name: `${kind}.${name}`, before: its[name], after: mine[name] }));
  });
  return h("div", {}, table(t("Times of both readings"), columns, rows), differences(t("Counted otherwise"), counted));
}
