/** What the rows of sources say; how they look is the editor's side. */

import * as l10n from "@vscode/l10n";

import { documentCount, resultText } from "../../protocol/jobs";
import type { Job, Source } from "../api/types";
import { day, type RowText } from "../trees/rowText";
import { cloudLines, cloudStateText, isCloud } from "./cloudStatus";

export type SourceCondition = "followed" | "paused" | "syncing" | "failed" | "idle";

export function sourceCondition({ enabled, state, followed }: Source): SourceCondition {
  if (!enabled) return "paused";
  if (state === "error") return "failed";
  if (state === "syncing") return "syncing";
  return state === "watching" || followed ? "followed" : "idle";
}

/** What only this window knows of a source. */
export interface SourceContext {
  /** The person has set a token for it. */
  hasToken: boolean;
  /** Its reading, while that is under way. */
  job?: Job | undefined;
}

export function sourceText(source: Source, language: string, context: SourceContext = { hasToken: false }): RowText {
  if (isCloud(source)) return cloudText(source, language, context);
  const { last_result: result, last_finished_at: finished } = source;
  const last =
    result &&
    l10n.t("Last read {0}: {1}", day(finished, language), resultText({ ...result, failed: result.failed_count }));
  const path = source.config["path"];
  return {
    label: source.name,
    description: [conditionText(source), documentCount(source.document_count), source.collection].join(" · "),
    tooltip: [
      source.name,
      typeof path === "string" ? path : "",
      l10n.t("Collection: {0}", source.collection),
      conditionText(source),
      source.notice ?? "",
      last ?? l10n.t("Not read yet"),
      ...(result?.failed.slice(0, 5).map((failed) => `${failed.source}: ${failed.message}`) ?? []),
    ].filter((line) => line !== ""),
  };
}

function cloudText(source: Source, language: string, { hasToken, job }: SourceContext): RowText {
  const state = cloudStateText(source, hasToken, job, language);
  return {
    label: source.name,
    description: [state, documentCount(source.document_count), source.collection].join(" · "),
    tooltip: [
      ...[source.name, l10n.t("Collection: {0}", source.collection), state],
      ...cloudLines(source, hasToken, language).filter((line) => line !== state),
      ...(source.last_result?.failed.slice(0, 5).map((failed) => `${failed.source}: ${failed.message}`) ?? []),
    ].filter((line) => line !== ""),
  };
}

function conditionText(source: Source): string {
  switch (sourceCondition(source)) {
    case "followed":
      return l10n.t("Followed");
    case "paused":
      return l10n.t("Paused");
    case "syncing":
      return l10n.t("Being read");
    case "failed":
      return source.last_error ?? l10n.t("Failed");
    case "idle":
      return source.schedule ?? l10n.t("Not followed");
  }
}
