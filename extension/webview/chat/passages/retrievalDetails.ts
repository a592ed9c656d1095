/** "Why these passages": what was searched, how each passage ranked at each stage, and where the time went. */

import * as l10n from "@vscode/l10n";

import type { Explained } from "../../../src/core/api/types";
import { stageLabel, strategyLabel } from "../../../src/protocol/stages";
import { h } from "../../shared/dom";

import { noticeLine } from "../controls/controls";
import type { AssistantMessage, Retrieval } from "../types";
import { citationTitle } from "./citationChips";
import { seconds } from "./passageStrip";

const ORDER = ["dense", "sparse", "feedback", "fusion", "rerank", "prefer", "diversity"];

export function whyPanel(message: AssistantMessage, retrieval: Retrieval): HTMLElement {
  return h(
    "section",
    { class: "why", "aria-label": l10n.t("Why these passages") },
    summaryList(retrieval),
    ...retrieval.effective.degraded.map((part) => noticeLine(l10n.t("Worked without: {0}", part), "warning")),
    ...retrieval.warnings.map((warning) => noticeLine(warning, "warning")),
    ranks(message, retrieval),
    times(retrieval),
  );
}

function summaryList(retrieval: Retrieval): HTMLElement {
  const { effective } = retrieval;
  const rows: [string, string][] = [
    [l10n.t("Searched for"), retrieval.query],
    [l10n.t("Confidence"), `${Math.round(retrieval.confidence * 100)} %`],
    [l10n.t("Strategy"), strategyLabel(effective.strategy)],
    [l10n.t("Reranked"), effective.reranked ? l10n.t("yes, {0} passages", effective.rerank_scored) : l10n.t("no")],
  ];
  return h(
    "dl",
    { class: "summary-list" },
    ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function ranks(message: AssistantMessage, { explanation }: Retrieval): HTMLElement | null {
  const present = new Set(explanation.flatMap(({ stages }) => Object.keys(stages)));
  const stages = [
    ...ORDER.filter((stage) => present.has(stage)),
    ...[...present].filter((stage) => !ORDER.includes(stage)),
  ];
  if (stages.length === 0) return null;
  const byChunk = new Map<string, Explained>(explanation.map((entry) => [entry.chunk_id, entry]));
  const caption = l10n.t("Rank of each passage at each stage");
  return h(
    "div",
    { class: "table-box", tabindex: 0, role: "group", "aria-label": caption },
    h(
      "table",
      { class: "ranks" },
      h("caption", {}, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, l10n.t("Passage")),
          ...stages.map((stage) => h("th", { scope: "col" }, stageLabel(stage))),
        ),
      ),
      h(
        "tbody",
        {},
        ...message.citations.map((citation) => {
          const entry = byChunk.get(citation.chunk_id);
          return h(
            "tr",
            {},
            h(
              "th",
              { scope: "row", title: entry?.moves.join("\n") ?? "" },
              `${citation.id} ${citationTitle(citation)}`,
            ),
            ...stages.map((stage) => {
              const at = entry?.stages[stage];
              const title = at ? l10n.t("Score {0}", at.score.toFixed(3)) : l10n.t("Not found at this stage");
              return h("td", { title }, at ? String(at.rank) : "–");
            }),
          );
        }),
      ),
    ),
  );
}

function times({ timingsMs, latencyMs }: Retrieval): HTMLElement {
  const parts = Object.entries(timingsMs).filter(([name]) => name !== "total");
  const longest = Math.max(1, ...parts.map(([, time]) => time));
  return h(
    "div",
    { class: "times", role: "group", "aria-label": l10n.t("Time of each stage") },
    ...parts.map(([name, time]) => {
      const bar = h("span", { class: "time-bar" });
      bar.style.width = `${(100 * time) / longest}%`;
      return h(
        "div",
        { class: "time" },
        h("span", { class: "time-name" }, stageLabel(name)),
        h("span", { class: "time-track", "aria-hidden": "true" }, bar),
        h("span", { class: "time-value" }, seconds(time)),
      );
    }),
    h(
      "div",
      { class: "time" },
      h("span", { class: "time-name" }, l10n.t("Together")),
      h("span", { class: "time-track" }),
      h("span", { class: "time-value" }, seconds(latencyMs)),
    ),
  );
}
