/** `/sources`: which documents, collections and sources there are, and what is wrong with them. */

import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";

import type { Document } from "../../core/api/types";
import type { DaemonClient } from "../../core/client/daemonClient";
import { inventoryMarkdown, matching, type Inventory } from "../../core/collections/inventory";
import { throwIfCancelled } from "../../core/common/cancellation";
import { promptText } from "./requests";
import type { ChatResponse } from "./response";

const SHOWN = 30;
const PAGE_SIZE = 100;
/** A search by name looks at so many documents of a collection. */
const MOST_PAGES = 20;

export async function sourcesCommand(
  client: DaemonClient,
  request: vscode.ChatRequest,
  response: ChatResponse,
  signal: AbortSignal,
): Promise<void> {
  const name = promptText(request);
  response.progress(l10n.t("Looking through your documents"));
  const inventory = await take(client, name === "" ? 1 : MOST_PAGES, signal);
  if (inventory.total === 0 && inventory.failed.length === 0 && inventory.sources.length === 0) {
    response.nothingAdded();
    return;
  }
  const kept = matching(inventory, name);
  const link = ({ id }: Document, label: string) => response.documentLink(id, label);
  response.markdown(`${inventoryMarkdown({ ...kept, documents: kept.documents.slice(0, SHOWN) }, link)}\n`);
  const unseen = inventory.total - inventory.documents.length;
  if (name !== "" && unseen > 0) response.notice(l10n.t("{0} further documents were not looked at.", unseen));
}

async function take(client: DaemonClient, pages: number, signal: AbortSignal): Promise<Inventory> {
  const [all, sources] = await Promise.all([client.collections(), client.sources()]);
  const collections = all.filter(({ status }) => status !== "deleted");
  const inventory: Inventory = { collections, sources, failed: [], documents: [], total: 0 };
  for (const { name, document_count: count } of collections) {
    throwIfCancelled(signal);
    const failed = await client.documents(name, "failed", 1, PAGE_SIZE);
    inventory.failed.push(...failed.items);
    const documents = count === 0 ? [] : await read(client, name, pages, signal);
    const others = documents.filter(({ status }) => status !== "failed");
    inventory.documents.push(...others);
    inventory.total += others.length + Math.max(0, count - documents.length);
  }
  return inventory;
}

async function read(client: DaemonClient, collection: string, pages: number, signal: AbortSignal): Promise<Document[]> {
  const documents: Document[] = [];
  for (let page = 1; page <= pages; page += 1) {
    throwIfCancelled(signal);
    const got = await client.documents(collection, undefined, page, PAGE_SIZE);
    documents.push(...got.items);
    if (got.items.length < PAGE_SIZE) break;
  }
  return documents;
}
