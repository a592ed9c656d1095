/**
 * What a trace says of its stages, by the contract of traces alone: spans by name, events by kind, whatever provider did them and
 * whatever fields of its own it left.
 */

import { h, svg } from "../lib/dom.js";
import { badge, facts, folded, table, tree } from "../lib/parts.js";
import { duration, t } from "../lib/text.js";

/** @typedef {{ type: string, id: string, profile: string }} Provider */
/** @typedef {{ span_id: string, name: string, status: string, start_ms: number, end_ms: number, provider: Provider, attrs: Record<string, unknown> }} Span */
/** @typedef {{ ts_ms: number, span_id: string | null, kind: string, payload: Record<string, unknown> }} Event */
/** @typedef {{ spans: readonly Span[], events: readonly Event[], aggregates: { latency_ms: number, counters: Record<string, number>, errors: readonly Record<string, string>[] } }} Trace */

const BAR = 240;

/** @param {string} name of a span; one that is not known here keeps its own */
export function stageName(name) {
  switch (name) {
    case "stage.query_norm":
      return t("Understanding the question");
    case "stage.retrieve_dense":
      return t("Search by meaning");
    case "stage.retrieve_sparse":
      return t("Search by words");
    case "stage.fusion":
      return t("Fusion");
    case "stage.rerank":
      return t("Reranking");
    case "stage.context_build":
      return t("Context");
    case "stage.generate":
      return t("Answer in words");
    case "stage.format_response":
      return t("Response");
    case "stage.dedup":
      return t("Looking for changes");
    case "stage.loader":
      return t("Reading");
    case "stage.asset_normalize":
      return t("Pictures");
    case "stage.transform_pre":
      return t("Cleaning");
    case "stage.sectioner":
      return t("Sections");
    case "stage.chunker":
      return t("Chunks");
    case "stage.transform_post":
      return t("Enrichment");
    case "stage.embedding":
      return t("Embedding");
    case "stage.upsert":
      return t("Storing");
    default:
      return name.replace(/^stage\./, "");
  }
}

/** @param {Trace} trace */
export function waterfall(trace) {
  const whole = Math.max(trace.aggregates.latency_ms, 0.001);
  const rows = trace.spans.map((span) => {
    const taken = Math.max(0, span.end_ms - span.start_ms);
    const x = (span.start_ms / whole) * BAR;
    const bar = svg(
      "svg",
      {
        class: `bar ${span.status}`,
        viewBox: `0 0 ${BAR} 12`,
        width: BAR,
        height: 12,
        "aria-hidden": "true",
      },
      svg("rect", { class: "all", width: BAR, height: 12, rx: 2 }),
      svg("rect", {
        x: Math.min(x, BAR - 1),
        width: Math.max(1, (taken / whole) * BAR),
        height: 12,
        rx: 2,
      }),
    );
    const events = trace.events.filter(({ span_id }) => span_id === span.span_id);
    return [
      stageName(span.name),
      providerText(span.provider),
      duration(taken),
      bar,
      h("span", {}, span.status !== "ok" && badge(statusText(span.status), "bad"), " ", details(span, events)),
    ];
  });
  const columns = [
    { title: t("Stage") },
    { title: t("Done by") },
    { title: t("Time"), isNumber: true },
    { title: t("When") },
    { title: t("Details") },
  ];
  return table(t("Stages"), columns, rows);
}

/**
 * @param {Span} span
 * @param {readonly Event[]} events
 */
function details(span, events) {
  if (events.length === 0 && Object.keys(span.attrs).length === 0 && span.provider.profile === "") return null;
  return folded(t("Show"), () =>
    h(
      "div",
      {},
      facts([
        [t("Profile"), span.provider.profile],
        ...Object.entries(span.attrs).map(([name, value]) => /** @type {const} */ ([name, tree(value)])),
      ]),
      ...events.map(eventView),
    ),
  );
}

/** @param {Event} event */
export function eventView({ kind, payload }) {
  return h("div", { class: "event" }, h("strong", {}, kind), tree(payload));
}

/** Events that belong to no stage. @param {Trace} trace */
export const looseEvents = (trace) => trace.events.filter(({ span_id }) => span_id === null);

/** @param {Provider} provider */
export function providerText({ type, id }) {
  return id === "none" ? "–" : `${id} (${type})`;
}

/** @param {string} status */
export function statusText(status) {
  switch (status) {
    case "ok":
      return t("Done");
    case "error":
      return t("Failed");
    case "cancelled":
      return t("Cancelled");
    default:
      return status;
  }
}
