/** The parts of the dashboard, each drawn from what the daemon reported. */

import * as l10n from "@vscode/l10n";

import type { Collection, Job, TraceRow } from "../../src/core/api/types";
import type { DashboardState } from "../../src/protocol/dashboard";
import { jobStatus, jobTitle, progressText, resultText } from "../../src/protocol/jobs";
import { h } from "../shared/dom";
import { nameValueList, section, table } from "../shared/tables";

export function daemonSection({ address, status }: DashboardState): HTMLElement {
  const { model, reranker, llm, stores, counts } = status;
  const rows: [string, string][] = [
    [l10n.t("Version"), status.version],
    [l10n.t("Address"), address],
    [l10n.t("State"), status.ready ? l10n.t("Ready") : l10n.t("Models are loaded with the first question")],
    [
      l10n.t("Embedding model"),
      joined(model.id, model.dim ? l10n.t("{0} dimensions", model.dim) : null, model.provider),
    ],
    [l10n.t("Device"), model.device ?? l10n.t("Not chosen yet")],
    [l10n.t("Reranker"), joined(reranker.name ?? reranker.provider, reranker.device)],
    [l10n.t("Language model"), llm.provider === "none" ? l10n.t("None") : joined(llm.model, llm.provider)],
    [l10n.t("Stores"), joined(stores.facts, stores.dense, stores.sparse)],
    [l10n.t("Documents"), number(counts.documents)],
    [l10n.t("Passages"), number(counts.chunks)],
    [l10n.t("Data folder"), status.data_dir],
  ];
  const notices =
    status.notices.length > 0 && h("ul", { class: "notices" }, ...status.notices.map((notice) => h("li", {}, notice)));
  return section("daemon", l10n.t("Daemon"), nameValueList(rows), notices);
}

export function collectionsSection(collections: readonly Collection[]): HTMLElement {
  const columns = [
    { title: l10n.t("Name") },
    { title: l10n.t("State") },
    { title: l10n.t("Documents"), isNumber: true },
    { title: l10n.t("Passages"), isNumber: true },
  ];
  const rows = collections.map((one) => [
    one.name,
    one.status === "enabled" ? l10n.t("Enabled") : l10n.t("Disabled"),
    number(one.document_count),
    number(one.chunk_count),
  ]);
  return section("collections", l10n.t("Collections"), table(l10n.t("Collections"), columns, rows));
}

/** Jobs that are not done; `cancel` is asked to end one. */
export function runningSection(jobs: readonly Job[], cancel: (jobId: string) => void): HTMLElement {
  if (jobs.length === 0) return section("running", l10n.t("At Work"), quiet(l10n.t("Nothing is being done.")));
  const columns = [{ title: l10n.t("Job") }, { title: l10n.t("Progress") }, { title: l10n.t("Action") }];
  const rows = jobs.map((job) => {
    const title = jobTitle(job);
    const label = l10n.t("Cancel: {0}", title);
    const button = h(
      "button",
      { "aria-label": label, "data-key": job.job_id, onclick: () => cancel(job.job_id) },
      l10n.t("Cancel"),
    );
    return [title, progress(job, title), button];
  });
  return section("running", l10n.t("At Work"), table(l10n.t("At Work"), columns, rows));
}

export function jobsSection(jobs: readonly Job[]): HTMLElement {
  const done = jobs.filter(({ status }) => status !== "running" && status !== "queued");
  if (done.length === 0) return section("jobs", l10n.t("Last Jobs"), quiet(l10n.t("Nothing has been done yet.")));
  const columns = [
    { title: l10n.t("Job") },
    { title: l10n.t("Ended") },
    { title: l10n.t("State") },
    { title: l10n.t("Result") },
  ];
  const rows = done.map((job) => [jobTitle(job), time(job.finished_at), jobStatus(job.status), outcome(job)]);
  return section("jobs", l10n.t("Last Jobs"), table(l10n.t("Last Jobs"), columns, rows));
}

export function tracesSection(traces: readonly TraceRow[], degraded: Record<string, string[]>): HTMLElement {
  if (traces.length === 0) return section("traces", l10n.t("Last Traces"), quiet(l10n.t("There are no traces yet.")));
  const columns = [
    { title: l10n.t("Time") },
    { title: l10n.t("Kind") },
    { title: l10n.t("Milliseconds"), isNumber: true },
    { title: l10n.t("State") },
    { title: l10n.t("Worked without") },
    { title: l10n.t("Trace") },
  ];
  const rows = traces.map((trace) => [
    time(trace.started_at),
    trace.trace_type === "query" ? l10n.t("Question") : l10n.t("Documents added"),
    number(Math.round(trace.latency_ms)),
    traceStatus(trace.status),
    (degraded[trace.trace_id] ?? []).join(", ") || "–",
    h("code", {}, trace.trace_id),
  ]);
  return section("traces", l10n.t("Last Traces"), table(l10n.t("Last Traces"), columns, rows));
}

function progress({ progress: { stage, done, total } }: Job, title: string): HTMLElement {
  const bar = h("progress", { "aria-label": title, max: total || 1, ...(total > 0 ? { value: done } : {}) });
  return h("span", { class: "progress" }, bar, progressText({ stage, done, total }));
}

/** What came of it, and each file that failed with its reason. */
function outcome({ result, error }: Job): HTMLElement {
  const counts = result ? resultText({ ...result, failed: result.failed.length }) : "";
  const text = [error?.message, counts].filter(Boolean).join(" ");
  if (!result || result.failed.length === 0) return h("span", {}, text);
  const reasons = result.failed.map(({ source, message }) => h("li", {}, `${source}: ${message}`));
  return h("details", {}, h("summary", {}, text), h("ul", {}, ...reasons));
}

function traceStatus(status: TraceRow["status"]): string {
  switch (status) {
    case "ok":
      return l10n.t("Done");
    case "error":
      return l10n.t("Failed");
    case "cancelled":
      return l10n.t("Cancelled");
  }
}

function quiet(text: string): HTMLElement {
  return h("p", { class: "quiet" }, text);
}

function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter(Boolean).join(", ");
}

function number(value: number): string {
  return value.toLocaleString(document.documentElement.lang);
}

function time(at: string | null): string {
  if (at === null) return "";
  return new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "medium" });
}
