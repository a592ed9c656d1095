/** What "Ask About This" is about: rows of the trees, files and folders of the explorer, the document in the viewer or the editor. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { shortName } from "../../protocol/places";
import type { ScopeItem } from "../../protocol/session";
import { CollectionRow, DocumentRow, FolderRow } from "../collections/rows";
import { SourceRow } from "../sources/rows";

/** `given` and `all` as menus give them; `shown` is what the viewer shows. */
export async function askedAbout(given: unknown, all: unknown, shown: ScopeItem | undefined): Promise<ScopeItem[]> {
  const chosen: unknown[] = Array.isArray(all) && all.length > 0 ? all : given === undefined ? [] : [given];
  const items = await Promise.all(chosen.map(itemOf));
  const found = items.filter((item) => item !== undefined);
  if (found.length > 0) return found;
  if (shown) return [shown];
  const open = vscode.window.activeTextEditor?.document.uri;
  const item = open && (await itemOf(open));
  if (item) return [item];
  void vscode.window.showInformationMessage(l10n.t("Choose a document, a folder or a collection first."));
  return [];
}

async function itemOf(row: unknown): Promise<ScopeItem | undefined> {
  if (row instanceof CollectionRow) {
    const { name } = row.collection;
    return { kind: "collection", id: name, label: name };
  }
  if (row instanceof FolderRow) {
    const path = `${row.folder.path.replace(/\/$/, "")}/`;
    return { kind: "folder", id: path, label: path };
  }
  if (row instanceof DocumentRow) {
    const { id, source } = row.document;
    return { kind: "document", id, label: shortName(source) };
  }
  if (row instanceof SourceRow) return { kind: "source", id: row.source.id, label: row.source.name };
  if (!(row instanceof vscode.Uri) || row.scheme !== "file") return undefined;
  const label = vscode.workspace.asRelativePath(row);
  const { type } = await vscode.workspace.fs.stat(row);
  // The daemon knows files by their paths; a folder's ends with a slash, so that `notes-old/` is none of `notes/`.
  return type & vscode.FileType.Directory
    ? { kind: "folder", id: `${row.fsPath}/`, label: `${label}/` }
    : { kind: "folder", id: row.fsPath, label };
}
