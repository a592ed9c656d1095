/** What is being read, as it goes on, and what came of what was read before. */

import { get, part, send, watch } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, failure, folded, pager, quiet, section, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { readings } from "./reading.js";

/** @type {import("../dashboard.js").Page} */
export async function ingestion({ query, signal }) {
  const page = Number(query.get("page") ?? 1);
  const [jobs, collections] = await Promise.all([
    get("/api/jobs", { page, page_size: 20 }, signal),
    get("/api/collections", { page_size: 100 }, signal),
  ]);
  const now = h("div", { role: "status" });
  const ended = h("div", {});
  let known = "";
  /** @param {readonly any[]} running */
  function show(running) {
    now.replaceChildren(running.length === 0 ? quiet(t("Nothing is being done.")) : runningTable(running));
    const ids = running.map(({ job_id }) => job_id).join(" ");
    if (known && ids !== known) void refresh();
    known = ids || "-";
  }
  async function refresh() {
    try {
      showEnded(await get("/api/jobs", { page, page_size: 20 }, signal));
    } catch (error) {
      if (!signal.aborted) ended.replaceChildren(failure(error));
    }
  }
  /**
   * A job may be done before any event of the daemon names it.
   * @param {string} id
   */
  async function follow(id) {
    await watch(`/api/jobs/${part(id)}/events`, () => undefined, signal);
    await refresh();
  }
  /** @param {{ items: readonly any[], total: number, page: number, page_size: number }} found */
  function showEnded(found) {
    const done = found.items.filter(({ status }) => !isUnderWay(status));
    const link = (/** @type {number} */ to) => `#/ingestion?page=${to}`;
    ended.replaceChildren(
      done.length === 0 ? quiet(t("Nothing has been done yet.")) : endedTable(done),
      pager(found, link) ?? "",
    );
  }
  show(jobs.items.filter((/** @type {any} */ { status }) => isUnderWay(status)));
  showEnded(jobs);
  watch(
    "/api/events",
    (event, state) => {
      if (event === "state") show(state.jobs);
    },
    signal,
  ).catch((error) => {
    if (!signal.aborted) now.append(failure(error));
  });
  return h(
    "div",
    {},
    h("h1", {}, t("Ingestion")),
    section(t("Add files or folders"), add(collections.items, follow)),
    section(t("At work"), now),
    section(t("Done before"), ended),
    section(t("Files that were read"), readings({})),
  );
}

/** @param {string} status */
const isUnderWay = (status) => status === "queued" || status === "running";

/**
 * @param {readonly { name: string }[]} collections
 * @param {(jobId: string) => Promise<void>} follow
 */
function add(collections, follow) {
  const path = h("input", {
    type: "text",
    required: true,
    "aria-label": t("Path on the daemon's machine"),
    placeholder: t("Path on the daemon's machine"),
  });
  const collection = h(
    "select",
    { "aria-label": t("Collection") },
    ...collections.map(({ name }) => h("option", { value: name }, name)),
  );
  const said = h("div", { role: "status" });
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    try {
      const { job_id } = await send("POST", "/api/ingest", { paths: [path.value], collection: collection.value });
      path.value = "";
      said.replaceChildren(t("It is in the queue."));
      await follow(job_id);
    } catch (error) {
      said.replaceChildren(failure(error));
    }
  }
  return h(
    "form",
    { onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event) },
    h("div", { class: "controls" }, path, collection, h("button", { class: "primary" }, t("Add"))),
    said,
  );
}

/** @param {readonly any[]} jobs */
function runningTable(jobs) {
  const columns = [{ title: t("Job") }, { title: t("Collection") }, { title: t("Progress") }, { title: t("Stop") }];
  const rows = jobs.map((job) => {
    const { stage, done, total } = job.progress;
    const label = t("Progress of {0}", job.kind);
    const bar = h("progress", { "aria-label": label, max: total || 1, value: total > 0 ? done : undefined });
    const stop = action(t("Cancel"), () => send("DELETE", `/api/jobs/${part(job.job_id)}`), t("Cancel: {0}", job.kind));
    return [
      job.kind,
      job.collection ?? "–",
      h("span", {}, bar, ` ${stage} ${total > 0 ? `${number(done)} / ${number(total)}` : ""}`),
      stop,
    ];
  });
  return table(t("At work"), columns, rows);
}

/** @param {readonly any[]} jobs */
function endedTable(jobs) {
  const columns = [
    { title: t("Job") },
    { title: t("Collection") },
    { title: t("Ended") },
    { title: t("State") },
    { title: t("What came of it") },
  ];
  return table(
    t("Done before"),
    columns,
    jobs.map((job) => [job.kind, job.collection ?? "–", time(job.finished_at), jobBadge(job.status), outcome(job)]),
  );
}

/** @param {string} status */
function jobBadge(status) {
  if (status === "completed") return badge(t("Done"), "good");
  if (status === "cancelled") return badge(t("Cancelled"), "warn");
  return badge(status === "failed" ? t("Failed") : status, "bad");
}

/** What came of it, and each file that failed with its reason. @param {any} job */
function outcome({ result, error }) {
  if (!result) return error?.message ?? "";
  const counts = [
    [t("added"), result.added],
    [t("updated"), result.updated],
    [t("unchanged"), result.unchanged],
    [t("moved"), result.moved],
    [t("deleted"), result.deleted],
    [t("failed"), result.failed.length],
    [t("chunks"), result.chunks],
  ].flatMap(([name, count]) => (count > 0 ? [`${name} ${number(count)}`] : []));
  const text = [error?.message, counts.join(", ")].filter(Boolean).join(" ");
  if (result.failed.length === 0) return text;
  return folded(text, () =>
    h("ul", {}, ...result.failed.map((/** @type {any} */ one) => h("li", {}, `${one.source}: ${one.message}`))),
  );
}
