/** What the rows of the trees say; how they look is the editor's side. */

import * as l10n from "@vscode/l10n";

import { documentCount, passageCount } from "../../protocol/jobs";
import { shortName } from "../../protocol/places";
import type { Collection, Document, Page } from "../api/types";
import { type RowText, day } from "../trees/rowText";

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
