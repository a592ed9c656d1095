/** What the rows of the trees say; how they look is the editor's side. */

import * as l10n from "@vscode/l10n";

import { documentCount, passageCount } from "../../protocol/jobs";
import { shortName } from "../../protocol/places";
import type { Collection, Document, Folder, Page } from "../api/types";
import { failureReason, failureWords } from "../problems/failures";
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

export function folderText({ name, path, documents, failed }: Folder): RowText {
  const failures = failed === 0 ? "" : l10n.t("{0} failed", failed);
  const about = [documentCount(documents), failures].filter((part) => part !== "").join(" · ");
  return { label: name, description: about, tooltip: [path, about] };
}

export function documentText(document: Document, language: string): RowText {
  // The daemon says nothing of it but that it is there.
  if (document.restricted === true) {
    const label = restrictedLabel();
    return { label, description: "", tooltip: [label, l10n.t("Set your token to search this source")] };
  }
  const label = shortName(document.source);
  const updated = day(document.updated_at, language);
  return {
    label,
    description: documentState(document, updated)
      .filter((part) => part !== "")
      .join(" · "),
    tooltip: [
      document.title || label,
      document.source,
      document.status === "failed" ? failure(document, failureWords) : "",
      l10n.t("{0}, updated {1}", passageCount(document.chunk_count), updated),
      document.summary,
    ].filter((line) => line !== ""),
  };
}

/** In place of the name of a document that is not shown without a token which may read it. */
export function restrictedLabel(): string {
  return l10n.t("A page or issue that needs your token");
}

/** A document in the list of what was found: `label` is its name. */
export function foundText(document: Document, label: string): { label: string; description: string; detail: string } {
  if (document.restricted === true) return { label: restrictedLabel(), description: document.collection, detail: "" };
  const { collection, source, status, title } = document;
  const detail = status === "failed" ? failure(document, failureWords) : source;
  return {
    label,
    description: [title === label ? "" : title, collection].filter((part) => part !== "").join(" · "),
    detail,
  };
}

function failure({ error }: Document, words: (error: { code: string; message: string }) => string): string {
  return error ? words(error) : l10n.t("Failed");
}

function documentState(document: Document, updated: string): string[] {
  const { status, chunk_count } = document;
  switch (status) {
    case "failed":
      return [failure(document, ({ code, message }) => failureReason(code) ?? message)];
    case "processing":
      return [l10n.t("Being read")];
    case "deleted":
      return [l10n.t("Deleted")];
    case "ready":
      return [passageCount(chunk_count), updated];
  }
}
