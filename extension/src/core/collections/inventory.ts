/** What is indexed, as Markdown: what failed first, then collections, documents and sources. */

import * as l10n from "@vscode/l10n";

import type { Collection, Document, Source } from "../api/types";
import { escapeMarkdown } from "../common/safeMarkdown";
import { restrictedLabel } from "./rows";

export interface Inventory {
  collections: Collection[];
  sources: Source[];
  /** Of all collections. */
  failed: Document[];
  documents: Document[];
  /** How many documents there are, of which `documents` may hold only the first. */
  total: number;
}

const MOST_FAILED = 20;

/** `name` keeps what holds it in its name, title or path. */
export function matching(inventory: Inventory, name: string): Inventory {
  const wanted = name.trim().toLowerCase();
  if (wanted === "") return inventory;
  const holds = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(wanted));
  const collections = inventory.collections.filter((one) => holds(one.name));
  const documents = inventory.documents.filter((one) => holds(one.title, one.source, one.collection));
  return {
    collections,
    documents,
    failed: inventory.failed.filter((one) => holds(one.title, one.source, one.collection)),
    sources: inventory.sources.filter((one) => holds(one.name, one.collection, textOf(one.config["path"]))),
    total: documents.length,
  };
}

/** `link` gives the name of a document, which is Markdown, as Markdown that opens it. */
export function inventoryMarkdown(
  { collections, sources, failed, documents, total }: Inventory,
  link: (document: Document, name: string) => string,
): string {
  const parts = [
    part(
      l10n.t("Failed"),
      failed.slice(0, MOST_FAILED).map((one) => failedLine(one, link)),
      failed.length - MOST_FAILED,
    ),
    part(l10n.t("Sources"), [...sources].sort((one, other) => rank(one) - rank(other)).map(sourceLine), 0),
    part(l10n.t("Collections"), collections.map(collectionLine), 0),
    part(
      l10n.t("Documents"),
      documents.map((one) => documentLine(one, link)),
      total - documents.length,
    ),
  ].filter((text) => text !== "");
  return parts.length > 0 ? parts.join("\n\n") : l10n.t("Nothing is there that matches.");
}

type Link = Parameters<typeof inventoryMarkdown>[1];

function failedLine(document: Document, link: Link): string {
  const { source, collection, error } = document;
  const reason = error ? `${error.message} (${error.code})` : l10n.t("The reason is not known.");
  return `**${link(document, escapeMarkdown(source))}** (${escapeMarkdown(collection)}): ${escapeMarkdown(reason)}`;
}

function sourceLine(source: Source): string {
  const path = textOf(source.config["path"]);
  const states = {
    idle: l10n.t("up to date"),
    syncing: l10n.t("syncing"),
    watching: l10n.t("followed"),
    error: l10n.t("failed"),
  };
  const state = source.enabled ? states[source.state] : l10n.t("paused");
  const count = l10n.t("documents: {0}", source.document_count);
  const about = [source.type, path, state, count, source.last_error ?? source.notice ?? ""].filter(
    (text) => text !== "",
  );
  return `**${escapeMarkdown(source.name)}** → ${escapeMarkdown(source.collection)}: ${about.map(escapeMarkdown).join(" · ")}`;
}

function rank({ state }: Source): number {
  return state === "error" ? 0 : 1;
}

function collectionLine({ name, status, document_count, chunk_count, description }: Collection): string {
  const about = [
    l10n.t("documents: {0}", document_count),
    l10n.t("passages: {0}", chunk_count),
    ...(status === "enabled" ? [] : [l10n.t("switched off")]),
    ...(description === "" ? [] : [description]),
  ];
  return `**${escapeMarkdown(name)}**: ${about.map(escapeMarkdown).join(" · ")}`;
}

function documentLine(document: Document, link: Link): string {
  const { title, source, collection, status, restricted } = document;
  const states = { ready: "", processing: l10n.t("being read"), failed: l10n.t("failed"), deleted: l10n.t("deleted") };
  const about = [source, collection, states[status]].filter((text) => text !== "");
  const name =
    restricted === true ? escapeMarkdown(restrictedLabel()) : link(document, escapeMarkdown(title || source));
  return `**${name}**: ${about.map(escapeMarkdown).join(" · ")}`;
}

function part(title: string, lines: string[], more: number): string {
  if (lines.length === 0) return "";
  const rest = more > 0 ? [l10n.t("{0} more", more)] : [];
  return `### ${escapeMarkdown(title)}\n\n${[...lines, ...rest].map((line) => `- ${line}`).join("\n")}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
