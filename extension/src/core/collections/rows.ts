/** What the rows of the trees say; how they look is the editor's side. */

import * as l10n from "@vscode/l10n";

import type { Collection, Document, Job, Page, Source } from "../api/types";
import { documentCount, passageCount, resultText } from "../../protocol/jobs";
import { shortName } from "../../protocol/places";
import { cloudLines, cloudStateText, isCloud } from "../sources/cloudStatus";

export type Fetch = (status: Document["status"], page: number, pageSize: number) => Promise<Page<Document>>;

/** Failed ones first, as they need somebody; then those being read; the rest by their sources, as the daemon has them. */
const ORDER: readonly Document["status"][] = ["failed", "processing", "ready"];

export const PAGE_SIZE = 100;

/** The first `count` documents in the tree's order, and how many there are. It asks for whole pages, so it may give more. */
export async function firstDocuments(fetch: Fetch, count: number): Promise<{ documents: Document[]; total: number }> {
  const documents: Document[] = [];
  let total = 0;
  for (const status of ORDER) {
    let got = 0;
    for (let page = 1; ; page += 1) {
      // Of a status whose documents are not shown yet only their number is wanted.
      const isFull = documents.length >= count;
      const { items, total: of } = await fetch(status, page, isFull ? 1 : PAGE_SIZE);
      if (page === 1) total += of;
      if (isFull) break;
      documents.push(...items);
      got += items.length;
      if (items.length === 0 || got >= of || documents.length >= count) break;
    }
  }
  return { documents, total };
}

export interface RowText {
  label: string;
  description: string;
  /** Lines of the tooltip, as plain text. */
  tooltip: string[];
}

export function collectionText({ name, description, status, document_count, chunk_count }: Collection): RowText {
  const count = documentCount(document_count);
  const passages = passageCount(chunk_count);
  return {
    label: name,
    description: status === "disabled" ? l10n.t("{0}, disabled", count) : count,
    tooltip: [
      name,
      description,
      `${count}, ${passages}`,
      status === "disabled" ? l10n.t("Disabled: it is not searched.") : "",
    ].filter((line) => line !== ""),
  };
}

export function documentText(document: Document, language: string): RowText {
  // The daemon says nothing of it but that it is there.
  if (document.restricted === true) {
    const label = restrictedLabel();
    return { label, description: "", tooltip: [label, l10n.t("Set your token to search this source")] };
  }
  const label = shortName(document.source);
  const folder = document.source.slice(0, Math.max(0, document.source.length - label.length - 1));
  const updated = day(document.updated_at, language);
  return {
    label,
    description: [...documentState(document, updated), folder].filter((part) => part !== "").join(" · "),
    tooltip: [
      document.title || label,
      document.source,
      document.status === "failed" ? (document.error?.message ?? l10n.t("Failed")) : "",
      l10n.t("{0}, updated {1}", passageCount(document.chunk_count), updated),
      document.summary,
    ].filter((line) => line !== ""),
  };
}

/** In place of the name of a document that is not shown without a token which may read it. */
export function restrictedLabel(): string {
  return l10n.t("A page or issue that needs your token");
}

function documentState({ status, error, chunk_count }: Document, updated: string): string[] {
  switch (status) {
    case "failed":
      return [error?.message ?? l10n.t("Failed")];
    case "processing":
      return [l10n.t("Being read")];
    case "deleted":
      return [l10n.t("Deleted")];
    case "ready":
      return [passageCount(chunk_count), updated];
  }
}

export type SourceMood = "followed" | "paused" | "syncing" | "failed" | "idle";

export function sourceMood({ enabled, state, followed }: Source): SourceMood {
  if (!enabled) return "paused";
  if (state === "error") return "failed";
  if (state === "syncing") return "syncing";
  return state === "watching" || followed ? "followed" : "idle";
}

/** What only this window knows of a source. */
export interface Surroundings {
  /** The person has set a token for it. */
  hasToken: boolean;
  /** Its reading, while that is under way. */
  job?: Job | undefined;
}

export function sourceText(source: Source, language: string, around: Surroundings = { hasToken: false }): RowText {
  if (isCloud(source)) return cloudText(source, language, around);
  const { last_result: result, last_finished_at: finished } = source;
  const last =
    result &&
    l10n.t("Last read {0}: {1}", day(finished, language), resultText({ ...result, failed: result.failed_count }));
  const path = source.config["path"];
  return {
    label: source.name,
    description: [moodText(source), documentCount(source.document_count), source.collection].join(" · "),
    tooltip: [
      source.name,
      typeof path === "string" ? path : "",
      l10n.t("Collection: {0}", source.collection),
      moodText(source),
      source.notice ?? "",
      last ?? l10n.t("Not read yet"),
      ...(result?.failed.slice(0, 5).map((failed) => `${failed.source}: ${failed.message}`) ?? []),
    ].filter((line) => line !== ""),
  };
}

function cloudText(source: Source, language: string, { hasToken, job }: Surroundings): RowText {
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

function moodText(source: Source): string {
  switch (sourceMood(source)) {
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

function day(at: string | null, language: string): string {
  return at === null ? "" : new Date(at).toLocaleDateString(language, { dateStyle: "medium" });
}
