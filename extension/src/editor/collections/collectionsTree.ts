/** The tree of collections and their documents, and what can be done with them. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Document } from "../../core/api/types";
import { PAGE_SIZE, firstDocuments } from "../../core/collections/rows";
import { RagError, asRagError } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { documentCount } from "../../protocol/jobs";
import { showFailure } from "../common/showFailure";
import { onDaemonChange } from "../daemon/onDaemonChange";
import { withJobProgress } from "../jobs/jobProgress";
import type { EditorPlaces } from "../places/editorPlaces";
import { FailureRow } from "../trees/treeItem";
import { askCollectionName } from "./askCollectionName";
import { findDocument } from "./findDocument";
import { CollectionRow, DocumentRow, FolderRow, MoreRow, placeOf, type HoldingRow } from "./rows";

type CollectionsRow = HoldingRow | DocumentRow | MoreRow | FailureRow;

export class CollectionsTree implements vscode.TreeDataProvider<CollectionsRow>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<CollectionsRow | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<CollectionsRow>;
  private readonly disposables: readonly { dispose(): unknown }[];
  /** How many documents of a collection or folder are shown, by its place. */
  private readonly shown = new Map<string, number>();

  constructor(
    private readonly daemon: DaemonService,
    private readonly places: EditorPlaces,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const options = { treeDataProvider: this, canSelectMany: true, showCollapseAll: true };
    this.view = vscode.window.createTreeView("ragAssistant.collections", options);
    this.disposables = [
      ...[this.changed, this.view, onDaemonChange(daemon, () => this.refresh())],
      daemon.onDidChangeLive(() => this.showBadge()),
      daemon.onDidChangeStatus(() => this.showBadge()),
      this.view.onDidChangeSelection(({ selection }) => this.showMore(selection)),
    ];
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  getTreeItem(row: CollectionsRow): vscode.TreeItem {
    return row.item();
  }

  getParent(row: CollectionsRow): CollectionsRow | undefined {
    return row instanceof CollectionRow || row instanceof FailureRow ? undefined : row.parent;
  }

  async getChildren(row?: CollectionsRow): Promise<CollectionsRow[]> {
    const { status } = this.daemon;
    if (status.kind !== "ready") return [];
    try {
      if (row === undefined)
        return (await status.client.collections()).map((collection) => new CollectionRow(collection));
      return row instanceof CollectionRow || row instanceof FolderRow ? await this.rowsIn(row) : [];
    } catch (error) {
      return [new FailureRow(error)];
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  create(): Promise<void> {
    return this.showingFailures(async () => {
      const client = await this.daemon.client();
      const name = await askCollectionName(
        l10n.t("New Collection"),
        "",
        (await client.collections()).map((one) => one.name),
      );
      if (name !== undefined) await client.createCollection(name);
    });
  }

  rename(row?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const { name } = this.collectionOf(row);
      if (name === "default") {
        throw new RagError(
          "VALIDATION_ERROR",
          l10n.t("The collection “default” can't be renamed: it is what is used when none is named."),
        );
      }
      const client = await this.daemon.client();
      const taken = (await client.collections()).map((one) => one.name).filter((one) => one !== name);
      const chosen = await askCollectionName(l10n.t("Rename {0}", name), name, taken);
      if (chosen !== undefined && chosen !== name) await client.changeCollection(name, { name: chosen });
    });
  }

  delete(row?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const { name, document_count } = this.collectionOf(row);
      const detail = l10n.t(
        "{0} will be deleted from the knowledge base. The files themselves stay.",
        documentCount(document_count),
      );
      const remove = l10n.t("Delete");
      const message = l10n.t("Delete the collection “{0}”?", name);
      if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, remove)) !== remove) return;
      await (await this.daemon.client()).deleteCollection(name);
    });
  }

  enable(row?: unknown): Promise<void> {
    return this.setStatus(row, "enabled");
  }

  disable(row?: unknown): Promise<void> {
    return this.setStatus(row, "disabled");
  }

  reindex(row?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const client = await this.daemon.client();
      const { name } = this.collectionOf(row);
      await withJobProgress(this.daemon, l10n.t("Rebuilding the index of {0}", name), () => client.reindex(name));
    });
  }

  openDocument(row?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      for (const { document } of this.chosen(row, undefined).slice(0, 1)) await this.places.openDocument(document.id);
    });
  }

  find(): Promise<void> {
    return this.showingFailures(async () => {
      const id = await findDocument(this.daemon);
      if (id !== undefined) await this.places.openDocument(id);
    });
  }

  showDocument(row?: unknown): Promise<void> {
    return this.showingFailures(() => {
      for (const { document } of this.chosen(row, undefined).slice(0, 1))
        this.places.showDocument(document.id, document.title);
      return Promise.resolve();
    });
  }

  reindexDocuments(row?: unknown, all?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const client = await this.daemon.client();
      await each(this.chosen(row, all), ({ document }) => client.reindexDocument(document.id));
    });
  }

  deleteDocuments(row?: unknown, all?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const rows = this.chosen(row, all);
      const source = rows.length === 1 ? rows[0]?.document.source : undefined;
      const message =
        source === undefined
          ? l10n.t("Delete {0} documents from the knowledge base?", rows.length)
          : l10n.t("Delete “{0}” from the knowledge base?", source);
      const remove = l10n.t("Delete");
      const detail = l10n.t(
        "The files themselves stay. A document of a folder that is followed comes back when its file changes.",
      );
      if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, remove)) !== remove) return;
      const client = await this.daemon.client();
      await each(rows, ({ document }) => client.deleteDocument(document.id));
    });
  }

  /** The folders in a collection or folder, then the documents that lie in it itself. */
  private async rowsIn(parent: HoldingRow): Promise<CollectionsRow[]> {
    const client = await this.daemon.client();
    const { name } = parent.collection;
    const path = parent instanceof FolderRow ? parent.folder.path : "";
    const fetch = (status: Document["status"], page: number, size: number) =>
      client.listDocuments({ collection: name, folder: path, status, page, page_size: size });
    const shown = this.shown.get(placeOf(parent)) ?? PAGE_SIZE;
    const [folders, { documents, total }] = await Promise.all([
      client.folders(name, path),
      firstDocuments(fetch, shown),
    ]);
    const rows: CollectionsRow[] = folders.map((folder) => new FolderRow(folder, parent));
    rows.push(...documents.map((document) => new DocumentRow(document, parent)));
    if (total > documents.length) rows.push(new MoreRow(parent, total - documents.length));
    return rows;
  }

  private showMore(selection: readonly CollectionsRow[]): void {
    const [row] = selection;
    if (selection.length !== 1 || !(row instanceof MoreRow)) return;
    const place = placeOf(row.parent);
    this.shown.set(place, (this.shown.get(place) ?? PAGE_SIZE) + PAGE_SIZE);
    this.changed.fire(row.parent);
  }

  private showBadge(): void {
    const failed = this.daemon.status.kind === "ready" ? (this.daemon.live?.failed_documents ?? 0) : 0;
    const tooltip =
      failed === 1 ? l10n.t("1 document could not be read") : l10n.t("{0} documents could not be read", failed);
    if (this.view.badge?.value !== failed) this.view.badge = failed === 0 ? undefined : { value: failed, tooltip };
  }

  private setStatus(row: unknown, status: "enabled" | "disabled"): Promise<void> {
    return this.showingFailures(async () => {
      await (await this.daemon.client()).changeCollection(this.collectionOf(row).name, { status });
    });
  }

  /** The row that a menu gave, else the one that is selected. */
  private collectionOf(row: unknown): CollectionRow["collection"] {
    const found = row instanceof CollectionRow ? row : this.view.selection.find((one) => one instanceof CollectionRow);
    if (!found) throw new RagError("INVALID_ARGUMENT", l10n.t("Choose a collection in the list first."));
    return found.collection;
  }

  private chosen(row: unknown, all: unknown): DocumentRow[] {
    const given: unknown[] =
      Array.isArray(all) && all.length > 0 ? all : row === undefined ? [...this.view.selection] : [row];
    const rows = given.filter((one): one is DocumentRow => one instanceof DocumentRow);
    if (rows.length === 0) throw new RagError("INVALID_ARGUMENT", l10n.t("Choose a document in the list first."));
    return rows;
  }

  private async showingFailures(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showFailure(error, this.log);
    } finally {
      this.refresh();
    }
  }
}

/** All of them, also when some fail; then it throws the first failure, and says how many more there are. */
async function each<T>(rows: readonly T[], work: (row: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const row of rows) await work(row).catch((error: unknown) => failures.push(error));
  const [first] = failures;
  if (first === undefined) return;
  if (failures.length === 1) throw asRagError(first);
  const { code, message } = asRagError(first);
  throw new RagError(code, l10n.t("{0} of {1} failed. The first: {2}", failures.length, rows.length, message));
}
