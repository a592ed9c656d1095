/** The tree of sources: what the daemon follows, how it stands, and what can be done with it. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { RagError } from "../core/errors";
import { showFailure } from "../failures";
import { withJobProgress } from "../ingest/jobProgress";
import { documentCount } from "../protocol/jobs";
import type { DaemonService } from "../services";
import { onDaemonChange } from "./refreshing";
import { FailureRow, SourceRow } from "./rows";

type SourcesRow = SourceRow | FailureRow;

export class SourcesTree implements vscode.TreeDataProvider<SourcesRow>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<SourcesRow | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<SourcesRow>;
  private readonly disposables: readonly { dispose(): unknown }[];

  constructor(
    private readonly daemon: DaemonService,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView("ragAssistant.sources", { treeDataProvider: this });
    this.disposables = [this.changed, this.view, onDaemonChange(daemon, () => this.refresh())];
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  getTreeItem(row: SourcesRow): vscode.TreeItem {
    return row.item();
  }

  async getChildren(row?: SourcesRow): Promise<SourcesRow[]> {
    const { status } = this.daemon;
    if (row !== undefined || status.kind !== "ready") return [];
    try {
      return (await status.client.sources()).map((source) => new SourceRow(source));
    } catch (error) {
      return [new FailureRow(error)];
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  sync(row?: unknown): Promise<void> {
    return this.told(async () => {
      const { id, name } = this.sourceOf(row);
      const client = await this.daemon.client();
      await withJobProgress(this.daemon, l10n.t("Reading {0}", name), () => client.syncSource(id));
    });
  }

  pause(row?: unknown): Promise<void> {
    return this.setEnabled(row, false);
  }

  resume(row?: unknown): Promise<void> {
    return this.setEnabled(row, true);
  }

  remove(row?: unknown): Promise<void> {
    return this.told(async () => {
      const { id, name, document_count } = this.sourceOf(row);
      const message = l10n.t("Stop following “{0}”?", name);
      const detail = l10n.t(
        "Its {0} can be deleted with it, or stay searchable without being updated. The files themselves stay.",
        documentCount(document_count),
      );
      const [remove, keep] = [l10n.t("Delete Documents"), l10n.t("Keep Documents")];
      const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, remove, keep);
      if (chosen === undefined) return;
      await (await this.daemon.client()).removeSource(id, chosen === remove ? "delete" : "keep");
    });
  }

  private setEnabled(row: unknown, enabled: boolean): Promise<void> {
    return this.told(async () => {
      await (await this.daemon.client()).changeSource(this.sourceOf(row).id, { enabled });
    });
  }

  /** The row that a menu gave, else the one that is selected. */
  private sourceOf(row: unknown): SourceRow["source"] {
    const found = row instanceof SourceRow ? row : this.view.selection.find((one) => one instanceof SourceRow);
    if (!found) throw new RagError("INVALID_ARGUMENT", l10n.t("Choose a source in the list first."));
    return found.source;
  }

  private async told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showFailure(error, this.log);
    } finally {
      this.refresh();
    }
  }
}
