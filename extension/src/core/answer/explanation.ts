/** Why these passages, as Markdown: how the question was understood, the ranks at each stage, and the times. */

import * as l10n from "@vscode/l10n";

import type { Citation, QueryAnswer } from "../api/types";
import { stageLabel, strategyLabel } from "../../protocol/stages";
import { escapeMarkdown } from "../common/safeMarkdown";

/** In the order in which they come. */
const STAGES = ["dense", "sparse", "fusion", "rerank", "prefer", "diversity"];

/** `link` gives the name of a passage as Markdown that leads to it. */
export function explanation(retrieval: QueryAnswer, link: (citation: Citation) => string): string {
  return [
    section(l10n.t("How the question was understood"), list(understood(retrieval))),
    section(l10n.t("How the passages ranked"), ranks(retrieval, link)),
    section(l10n.t("How long it took"), list(times(retrieval))),
    section(l10n.t("What to know"), list(remarks(retrieval))),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function understood({ plan, query, effective }: QueryAnswer): string[] {
  const rows: [name: string, value: string][] = [
    [l10n.t("Searched for"), textOf(plan?.["text"]) || query],
    [l10n.t("Made self-contained by"), plan?.["rewriting"] === "none" ? "" : textOf(plan?.["rewriting"])],
    [l10n.t("Language"), textOf(plan?.["language"])],
    [l10n.t("Kind of question"), textOf(plan?.["intent"])],
    [l10n.t("Words"), textOf(plan?.["keywords"])],
    [l10n.t("Names and codes"), textOf(plan?.["identifiers"])],
    [l10n.t("Synonyms"), textOf(plan?.["synonyms"])],
    [l10n.t("Further wordings"), textOf(plan?.["variants"])],
    [l10n.t("Only documents with"), textOf(plan?.["filters"])],
    [l10n.t("Rather those with"), textOf(plan?.["prefer"])],
    [l10n.t("Strategy"), strategyLabel(effective.strategy)],
  ];
  return rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `**${escapeMarkdown(name)}:** ${escapeMarkdown(value)}`);
}

function ranks(
  { explanation: entries, results, citations }: QueryAnswer,
  link: (citation: Citation) => string,
): string {
  const explained = new Map((entries ?? []).map((entry) => [entry.chunk_id, entry.stages]));
  const present = new Set([...explained.values()].flatMap((stages) => Object.keys(stages)));
  const columns = [
    ...STAGES.filter((stage) => present.has(stage)),
    ...[...present].filter((stage) => !STAGES.includes(stage)),
  ];
  if (results.length === 0 || columns.length === 0) return "";
  const rows = results.map(({ chunk_id, title }) => {
    const citation = citations.find((one) => one.chunk_id === chunk_id || one.chunk_ids?.includes(chunk_id));
    const passage = citation ? `\\[${citation.id}\\] ${link(citation)}` : escapeMarkdown(title);
    const stages = explained.get(chunk_id);
    return [passage, ...columns.map((stage) => cell(stages?.[stage]))];
  });
  const head = [l10n.t("Passage"), ...columns.map((stage) => stageLabel(stage))].map(escapeMarkdown);
  return table([head, head.map((_, index) => (index === 0 ? "---" : "--:")), ...rows]);
}

function cell(stage: { rank: number; score: number } | undefined): string {
  return stage === undefined ? "–" : `${stage.rank} (${escapeMarkdown(String(Number(stage.score.toPrecision(3))))})`;
}

function times({ latency_ms: total, timings_ms: stages }: QueryAnswer): string[] {
  const longest = Object.entries(stages).sort(([, one], [, other]) => other - one);
  return [
    `**${escapeMarkdown(l10n.t("All together: {0} ms", Math.round(total)))}**`,
    ...longest.map(([stage, time]) => escapeMarkdown(l10n.t("{0}: {1} ms", stageLabel(stage), Math.round(time)))),
  ];
}

function remarks({ confidence, effective, warnings, trace_id: trace }: QueryAnswer): string[] {
  const degraded = effective.degraded.map((part) =>
    l10n.t("{0} did not work; the search went on without it.", stageLabel(part)),
  );
  return [
    l10n.t("Confidence that the passages answer the question: {0} %", Math.round(confidence * 100)),
    ...(effective.reranked ? [] : [l10n.t("The passages were not scored a second time by a reranker.")]),
    ...degraded,
    ...warnings,
    l10n.t("Trace: {0}", trace),
  ].map(escapeMarkdown);
}

/** Values of the plan, whatever their shape: the daemon may know more than we do. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value === "object") {
    const { kind, text, ...rest } = value as Record<string, unknown>;
    if (typeof kind === "string" && typeof text === "string" && Object.keys(rest).length === 0)
      return `${text} (${kind})`;
    return Object.entries(value)
      .map(([name, one]) => `${name} = ${textOf(one)}`)
      .join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

function section(title: string, body: string): string {
  return body === "" ? "" : `### ${escapeMarkdown(title)}\n\n${body}`;
}

function list(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

function table(rows: string[][]): string {
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}
