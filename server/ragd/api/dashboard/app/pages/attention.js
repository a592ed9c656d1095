/** What needs attention, each with what mends it: documents that could not be read, sources, model, indexes, database, disk. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, failure, quiet, section, table } from "../lib/parts.js";
import { number, score, size, t, time } from "../lib/text.js";

const SHOWN = 20;
// A drop that chance would bring in one of twenty pairs of runs is none.
const SIGNIFICANT = 0.05;
const LOW_DISK = 2_000_000_000;
// A source that was to be read so long ago, and was not.
const LATE_MS = 15 * 60_000;

/**
 * @param {any} status what `/api/status` says
 * @param {AbortSignal} signal
 */
export async function attention(status, signal) {
  const [failed, sources, jobs, fallen] = await Promise.all([
    get("/api/documents", { status: "failed", page_size: SHOWN }, signal),
    get("/api/sources", { page_size: 100 }, signal),
    get("/api/jobs", { page_size: SHOWN }, signal),
    fallenRun(signal),
  ]);
  const ailing = sources.items.flatMap((/** @type {any} */ source) => {
    const why = trouble(source, Date.now());
    return why ? [{ source, why }] : [];
  });
  const checks = section(t("Model, indexes, database, disk"), quiet(t("Being checked …")));
  void get("/api/checks", {}, signal).then(
    (found) => checks.lastChild?.replaceWith(checked([...found.checks, disk(status)])),
    (error) => checks.lastChild?.replaceWith(failure(error)),
  );
  const broken = jobs.items.filter((/** @type {any} */ job) => job.status === "failed");
  const isWell = failed.total + ailing.length + broken.length + status.notices.length === 0 && !fallen;
  return h(
    "div",
    {},
    section(
      t("What needs attention"),
      isWell
        ? h("p", { class: "badges" }, badge(t("All documents and sources are as they should be"), "good"))
        : quiet(t("Each with what mends it.")),
    ),
    fallen,
    status.notices.length > 0 &&
      section(t("Notices"), h("ul", {}, ...status.notices.map((/** @type {string} */ notice) => h("li", {}, notice)))),
    failed.total > 0 && section(t("Documents that could not be read"), documents(failed)),
    ailing.length > 0 && section(t("Sources"), sourceTable(ailing)),
    broken.length > 0 && section(t("Jobs that failed"), jobTable(broken)),
    checks,
  );
}

/**
 * The newest run beside the one before it of the same questions and settings: a run every night shows a drop the next morning.
 * @param {AbortSignal} signal
 */
async function fallenRun(signal) {
  const { items } = await get("/api/evaluations", { page_size: SHOWN }, signal);
  const [newest, ...older] = items;
  const before = older.find((/** @type {any} */ one) => isSameMeasurement(one, newest));
  if (!before) return null;
  const pair = { against: newest.run_id, page_size: 1 };
  const { metrics } = await get(`/api/evaluations/${part(before.run_id)}/comparison`, pair, signal);
  const drops = metrics.filter((/** @type {any} */ one) => one.difference < 0 && one.p < SIGNIFICANT);
  if (drops.length === 0) return null;
  const link = `#/evaluation/${part(before.run_id)}?${new URLSearchParams({ against: newest.run_id })}`;
  const columns = [{ title: t("Metric") }, { title: t("Before") }, { title: t("Now") }, { title: t("What mends it") }];
  const rows = drops.map((/** @type {any} */ one) => [
    one.metric,
    score(one.first),
    score(one.second),
    h("a", { href: link }, t("See which questions were lost")),
  ]);
  return section(t("Answers became worse"), table(t("Answers became worse"), columns, rows));
}

/**
 * @param {any} one
 * @param {any} other
 */
const isSameMeasurement = (one, other) =>
  ["dataset", "dataset_hash", "strategy"].every((name) => one[name] === other[name]) &&
  one.options?.mode === other.options?.mode;

/** @param {{ disk_free: number, data_dir: string }} status */
function disk({ disk_free, data_dir }) {
  const isLow = disk_free < LOW_DISK;
  const mend = isLow ? t("Free some space, or move the data directory.") : "";
  return {
    name: t("Disk"),
    level: isLow ? "warn" : "ok",
    message: t("{0} free at {1}", size(disk_free), data_dir),
    mend,
  };
}

/** @param {readonly { name: string, level: string, message: string, mend: string }[]} checks those that are not well first */
function checked(checks) {
  const order = ["fail", "warn", "ok"];
  const rows = [...checks]
    .sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
    .map(({ name, level, message, mend }) => [
      name,
      level === "ok"
        ? badge(t("Well"), "good")
        : badge(level === "warn" ? t("Look at it") : t("Broken"), level === "warn" ? "warn" : "bad"),
      message,
      mend === "rag reindex" ? action(t("Rebuild the indexes"), rebuild) : mend,
    ]);
  return table(
    t("Checks"),
    [{ title: t("Part") }, { title: t("State") }, { title: t("What was found") }, { title: t("What mends it") }],
    rows,
  );
}

async function rebuild() {
  await send("POST", "/api/reindex", {});
  return t("It is in the queue.");
}

/** @param {{ items: readonly any[], total: number }} failed */
function documents({ items, total }) {
  const rows = items.map((one) => {
    const name = one.restricted ? t("A document that you may not see") : one.title || one.source;
    const path = `/api/documents/${part(one.id)}`;
    return [
      one.restricted ? name : h("a", { href: `#/documents/${part(one.id)}` }, name),
      one.error ? `${one.error.message || one.error.code}` : "",
      h(
        "span",
        { class: "badges" },
        action(
          t("Read again"),
          async () => {
            await send("POST", `${path}/reindex`);
            return t("It is in the queue.");
          },
          t("Read again: {0}", name),
        ),
        action(
          t("Delete"),
          async () => {
            await send("DELETE", path);
            return t("Deleted");
          },
          t("Delete: {0}", name),
          t("Delete {0} from the collection? The file itself stays.", name),
        ),
      ),
    ];
  });
  const columns = [{ title: t("Document") }, { title: t("Why") }, { title: t("What mends it") }];
  return h(
    "div",
    {},
    table(t("Documents that could not be read"), columns, rows),
    total > items.length && h("p", {}, h("a", { href: "#/documents?status=failed" }, t("All {0}", number(total)))),
  );
}

/**
 * What is wrong with a source; empty where nothing is.
 * @param {any} source
 * @param {number} now milliseconds
 */
export function trouble(source, now) {
  if (source.last_error) return source.last_error;
  if (!source.enabled) return "";
  if (source.waits_for_token)
    return t("It waits for its token, which whoever added it brings: it is read when their editor is open.");
  if (source.due_at && now - Date.parse(source.due_at) > LATE_MS)
    return t("It was to be read at {0}, and was not.", time(source.due_at));
  if (source.last_result?.failed_count > 0)
    return t("{0} of its files could not be read.", number(source.last_result.failed_count));
  if (source.last_result?.held > 0)
    return t("{0} documents are kept that are gone there: too many went at once.", number(source.last_result.held));
  return source.notice ?? "";
}

/** @param {readonly { source: any, why: string }[]} ailing */
function sourceTable(ailing) {
  const rows = ailing.map(({ source, why }) => [
    source.name,
    why,
    time(source.last_finished_at),
    action(
      t("Read now"),
      async () => {
        await send("POST", `/api/sources/${part(source.id)}/sync`, {});
        return t("It is in the queue.");
      },
      t("Read now: {0}", source.name),
    ),
  ]);
  const columns = [
    { title: t("Source") },
    { title: t("Why") },
    { title: t("Read last") },
    { title: t("What mends it") },
  ];
  return table(t("Sources"), columns, rows);
}

/** @param {readonly any[]} jobs */
function jobTable(jobs) {
  const rows = jobs.map((job) => [job.kind, job.collection ?? "–", time(job.finished_at), job.error?.message ?? ""]);
  const columns = [{ title: t("Job") }, { title: t("Collection") }, { title: t("Ended") }, { title: t("Why") }];
  return table(t("Jobs that failed"), columns, rows);
}
