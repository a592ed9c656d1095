/** All that a question can be asked about: collections, sources, folders and documents, as rows to tick. */

import * as l10n from "@vscode/l10n";

import { shortName } from "../../protocol/places";
import type { ScopeItem } from "../../protocol/session";
import type { Document } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import { throwIfCancelled } from "../common/cancellation";

/** Of each collection; folders still reach the others. */
const MOST_DOCUMENTS = 2_000;
const PAGE_SIZE = 100;
const MOST_FOLDERS = 500;

export interface ScopeChoice extends ScopeItem {
  /** Told beside the label: a count, or the folder of a document. */
  detail: string;
}

type Client = Pick<DaemonClient, "collections" | "documents" | "sources">;

/** In the order in which they are shown. */
export async function scopeChoices(client: Client, signal: AbortSignal): Promise<ScopeChoice[]> {
  const [all, sources] = await Promise.all([client.collections(), client.sources()]);
  const collections = all.filter(({ status }) => status === "enabled");
  const documents: Document[] = [];
  for (const { name, document_count: count } of collections) {
    for (let page = 1; count > 0 && page <= MOST_DOCUMENTS / PAGE_SIZE; page += 1) {
      throwIfCancelled(signal);
      const { items } = await client.documents(name, "ready", page, PAGE_SIZE);
      documents.push(...items.filter(({ restricted }) => restricted !== true));
      if (items.length < PAGE_SIZE) break;
    }
  }
  return [
    ...collections.map(({ name, document_count: count }): ScopeChoice => ({
      kind: "collection",
      id: name,
      label: name,
      detail: l10n.t("{0} documents", count),
    })),
    ...sources.map(({ id, name }): ScopeChoice => ({ kind: "source", id, label: name, detail: "" })),
    ...folders(documents),
    ...documents.map(({ id, source }): ScopeChoice => {
      const label = shortName(source);
      return { kind: "document", id, label, detail: source.slice(0, Math.max(0, source.length - label.length - 1)) };
    }),
  ];
}

/** Folders that hold documents, and those above them, with how many each holds. */
function folders(documents: readonly Document[]): ScopeChoice[] {
  const counts = new Map<string, number>();
  for (const { source } of documents) {
    if (/^[a-z][\w+.-]*:\/\//i.test(source)) continue; // a page, whose address is no folder
    for (let at = source.indexOf("/"); at >= 0; at = source.indexOf("/", at + 1)) {
      if (at === 0) continue;
      const folder = source.slice(0, at + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, MOST_FOLDERS)
    .map(([id, count]) => ({ kind: "folder", id, label: id, detail: l10n.t("{0} documents", count) }));
}

export function sameItem(one: ScopeItem, other: ScopeItem): boolean {
  return one.kind === other.kind && one.id === other.id;
}
