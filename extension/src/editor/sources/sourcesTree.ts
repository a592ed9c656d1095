/** The tree of sources: what the daemon reads again and again, its status, and what can be done with it. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonState, Source } from "../../core/api/types";
import { RagError } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { isCloud, needsToken } from "../../core/sources/cloudStatus";
import { documentCount } from "../../protocol/jobs";
import { showFailure } from "../common/showFailure";
import { onDaemonChange } from "../daemon/onDaemonChange";
import { withJobProgress } from "../jobs/jobProgress";
import { FailureRow } from "../trees/treeItem";
import type { EditorSourceTokens } from "./editorSourceTokens";
import { CycleRow, HeldRow, LeftItemRow, LeftOutRow, SourceRow, TokenRow } from "./rows";

type SourcesRow = SourceRow | TokenRow | CycleRow | HeldRow | LeftOutRow | LeftItemRow | FailureRow;

export class SourcesTree implements vscode.TreeDataProvider<SourcesRow>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<SourcesRow | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<SourcesRow>;
  private readonly disposables: readonly { dispose(): unknown }[];
  private rows: SourceRow[] = [];

  constructor(
    private readonly daemon: DaemonService,
    private readonly tokens: EditorSourceTokens,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView("ragAssistant.sources", { treeDataProvider: this, showCollapseAll: true });
    this.disposables = [
      ...[this.changed, this.view, onDaemonChange(daemon, () => this.refresh())],
      daemon.onDidChangeLive((state) => this.showProgress(state)),
      tokens.onDidChange(() => this.refresh()),
    ];
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  getTreeItem(row: SourcesRow): vscode.TreeItem {
    return row.item();
  }

  getParent(row: SourcesRow): SourcesRow | undefined {
    return "parent" in row ? row.parent : undefined;
  }

  async getChildren(row?: SourcesRow): Promise<SourcesRow[]> {
    const { status } = this.daemon;
    if (status.kind !== "ready") return [];
    try {
      if (row === undefined) return await this.sourceRows();
      if (row instanceof SourceRow) return await this.ledgerRows(row);
      return row instanceof LeftOutRow ? row.items.map((item) => new LeftItemRow(row, item)) : [];
    } catch (error) {
      return [new FailureRow(error)];
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  sync(row?: unknown, wish: { full?: boolean; allow_empty?: boolean } = {}): Promise<void> {
    return this.showingFailures(async () => {
      const { id, name } = this.sourceOf(row);
      const client = await this.daemon.client();
      await withJobProgress(this.daemon, l10n.t("Reading {0}", name), () => client.syncSource(id, wish));
    });
  }

  /** What is gone on the other side is deleted here, too, though it is much. */
  deleteHeld(row?: unknown): Promise<void> {
    const of = row instanceof HeldRow ? row.parent : row;
    return this.showingFailures(async () => {
      const { name, last_result: result } = this.sourceOf(of);
      const message = l10n.t("Delete what is gone from “{0}”?", name);
      const detail = l10n.t(
        "{0} items are no longer there, or the token for reading may not see them any more. They are deleted from the knowledge base.",
        result?.held ?? 0,
      );
      const remove = l10n.t("Delete");
      if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, remove)) !== remove) return;
      await this.sync(of, { allow_empty: true });
    });
  }

  /** One item that was left out, or all of a source's. */
  retry(row?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const item = row instanceof LeftItemRow ? row : undefined;
      const of = item?.parent.parent ?? (row instanceof LeftOutRow ? row.parent : row);
      const { id, name } = this.sourceOf(of);
      const client = await this.daemon.client();
      const items = item ? [item.left.id] : undefined;
      await withJobProgress(this.daemon, l10n.t("Trying again: {0}", name), () => client.retrySource(id, items));
    });
  }

  pause(row?: unknown): Promise<void> {
    return this.setEnabled(row, false);
  }

  resume(row?: unknown): Promise<void> {
    return this.setEnabled(row, true);
  }

  remove(row?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const source = this.sourceOf(row);
      const { id, name, document_count } = source;
      const message = l10n.t("Stop following “{0}”?", name);
      const stays = isCloud(source) ? l10n.t("Nothing changes on the site.") : l10n.t("The files themselves stay.");
      const detail = l10n.t(
        "Its {0} can be deleted with it, or stay searchable without being updated. {1}",
        ...[documentCount(document_count), stays],
      );
      const [remove, keep] = [l10n.t("Delete Documents"), l10n.t("Keep Documents")];
      const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, remove, keep);
      if (chosen === undefined) return;
      await (await this.daemon.client()).removeSource(id, chosen === remove ? "delete" : "keep");
      await this.tokens.forget(id);
    });
  }

  /** The source of the row that a menu gave; undefined for a command without one. */
  given(row: unknown): Source | undefined {
    return row instanceof SourceRow ? row.source : undefined;
  }

  /** As `given`, else the one that is selected. Throws `RagError` when there is none. */
  sourceOf(row: unknown): Source {
    const found = row instanceof SourceRow ? row : this.view.selection.find((one) => one instanceof SourceRow);
    if (!found) throw new RagError("INVALID_ARGUMENT", l10n.t("Choose a source in the list first."));
    return found.source;
  }

  private setEnabled(row: unknown, enabled: boolean): Promise<void> {
    return this.showingFailures(async () => {
      await (await this.daemon.client()).changeSource(this.sourceOf(row).id, { enabled });
    });
  }

  private async sourceRows(): Promise<SourceRow[]> {
    const [sources, tokens] = await Promise.all([(await this.daemon.client()).sources(), this.tokens.all()]);
    this.rows = sources.map((source) => new SourceRow(source, tokens.has(source.id)));
    for (const row of this.rows) row.job = this.jobOf(row, this.daemon.live);
    return this.rows;
  }

  private async ledgerRows(row: SourceRow): Promise<SourcesRow[]> {
    const { source, hasToken } = row;
    if (!isCloud(source)) return [];
    const { cycles, counts } = await (await this.daemon.client()).ledger(source.id);
    const last = cycles.find(({ phase }) => phase === "done") ?? cycles[0];
    const [held, skipped] = [counts["held"] ?? 0, counts["skipped"] ?? 0];
    const left = cycles.find((cycle) => cycle.skipped.length > 0)?.skipped ?? [];
    return [
      ...(needsToken(source, hasToken) ? [new TokenRow(row)] : []),
      ...(held > 0 ? [new HeldRow(row, held, last?.notice ?? "")] : []),
      ...(last ? [new CycleRow(row, last)] : []),
      ...(skipped > 0 ? [new LeftOutRow(row, left, skipped)] : []),
    ];
  }

  private showProgress(state: DaemonState): void {
    for (const row of this.rows) {
      const job = this.jobOf(row, state);
      if (JSON.stringify(job?.progress) === JSON.stringify(row.job?.progress)) continue;
      row.job = job;
      this.changed.fire(row);
    }
  }

  private jobOf({ source }: SourceRow, state: DaemonState | undefined): DaemonState["jobs"][number] | undefined {
    return isCloud(source) ? state?.jobs.find(({ job_id }) => job_id === source.job_id) : undefined;
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
