/** The rows of the tree of collections. Commands get them from menus, so they are classes: anything else is told apart. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { FORMATS } from "../../core/api/formats.gen";
import type { Collection, Document, Folder } from "../../core/api/types";
import { collectionText, documentText, folderText } from "../../core/collections/rows";
import { FAILED, drawn } from "../trees/treeItem";

export class CollectionRow {
  constructor(readonly collection: Collection) {}

  item(): vscode.TreeItem {
    const { id, status } = this.collection;
    // Also one without documents: those that failed are not counted, and are looked for here.
    const item = drawn(collectionText(this.collection), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `collection:${id}`;
    item.contextValue = `collection.${status}`;
    item.iconPath = new vscode.ThemeIcon(status === "disabled" ? "circle-slash" : "database");
    return item;
  }
}

/** A folder in the paths of a collection's documents. Its rows are asked for when it is opened. */
export class FolderRow {
  constructor(
    readonly folder: Folder,
    readonly parent: CollectionRow | FolderRow,
  ) {}

  get collection(): Collection {
    return this.parent.collection;
  }

  item(): vscode.TreeItem {
    const item = drawn(folderText(this.folder), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `folder:${this.collection.id}:${this.folder.path}`;
    item.contextValue = "folder";
    item.iconPath = vscode.ThemeIcon.Folder;
    return item;
  }
}

export type HoldingRow = CollectionRow | FolderRow;

export class DocumentRow {
  constructor(
    readonly document: Document,
    readonly parent: HoldingRow,
  ) {}

  item(): vscode.TreeItem {
    const item = drawn(documentText(this.document, vscode.env.language));
    item.id = `document:${this.document.id}`;
    item.contextValue = `document.${this.document.status}`;
    item.iconPath = documentIcon(this.document);
    item.command = { command: "ragAssistant.openDocument", title: l10n.t("Open"), arguments: [this] };
    return item;
  }
}

/** Choosing it shows the next documents. */
export class MoreRow {
  constructor(
    readonly parent: HoldingRow,
    readonly left: number,
  ) {}

  item(): vscode.TreeItem {
    const item = new vscode.TreeItem(l10n.t("Load more…"));
    item.id = `more:${placeOf(this.parent)}`;
    item.description = l10n.t("{0} more", this.left);
    item.iconPath = new vscode.ThemeIcon("ellipsis");
    return item;
  }
}

/** What tells a row that holds documents from the others. */
export function placeOf(row: HoldingRow): string {
  return `${row.collection.id}:${row instanceof FolderRow ? row.folder.path : ""}`;
}

export function documentIcon({ status, doc_type }: Document): vscode.ThemeIcon {
  if (status === "failed") return FAILED;
  return new vscode.ThemeIcon(status === "processing" ? "sync~spin" : FORMATS[doc_type].icon);
}
