/** What needs attention, each with what mends it: documents that could not be read, sources, model, indexes, database, disk. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, failure, quiet, section, table } from "../lib/parts.js";
import { number, size, t, time } from "../lib/text.js";

const SHOWN = 20;
const LOW_DISK = 2_000_000_000;
// A source that was to be read so long ago, and was not.
const LATE_MS = 15 * 60_000;

/** @type {import("../main.js").Page} */
export async function attention({ signal }) {
  const [status, failed, sources, jobs] = await Promise.all([
    get("/api/status", {}, signal),
    get("/api/documents", { status: "failed", page_size: SHOWN }, signal),
    get("/api/sources", { page_size: 100 }, signal),
    get("/api/jobs", { page_size: SHOWN }, signal),
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
  return h(
    "div",
    {},
    h("h1", {}, t("What needs attention")),
    h(
      "p",
      { class: "badges" },
      badge(t("{0} documents, {1} chunks", number(status.counts.documents), number(status.counts.chunks)), "plain"),
      failed.total + ailing.length + broken.length + status.notices.length === 0 &&
        badge(t("All documents and sources are as they should be"), "good"),
    ),
    checks,
    status.notices.length > 0 &&
      section(t("Notices"), h("ul", {}, ...status.notices.map((/** @type {string} */ notice) => h("li", {}, notice)))),
    failed.total > 0 && section(t("Documents that could not be read"), documents(failed)),
    ailing.length > 0 && section(t("Sources"), sourceTable(ailing)),
    broken.length > 0 && section(t("Jobs that failed"), jobTable(broken)),
  );
}

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
            if (!confirm(t("Delete {0} from the collection? The file itself stays.", name))) return "";
            await send("DELETE", path);
            return t("Deleted");
          },
          t("Delete: {0}", name),
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
