/** The ledger of a Confluence or Jira source in a tab: its readings, and what was left out and why. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Source } from "../../core/api/types";
import type { DaemonClient } from "../../core/client/daemonClient";
import { RagError, isCancelled } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { describe } from "../../core/problems/failures";
import { cloudLines } from "../../core/sources/cloudStatus";
import type { LedgerMessageToExtension, LedgerMessageToWebview, LedgerState } from "../../protocol/ledger";
import { showFailure } from "../common/showFailure";
import { onDaemonChange } from "../daemon/onDaemonChange";
import { withJobProgress } from "../jobs/jobProgress";
import type { EditorSourceTokens } from "../sources/editorSourceTokens";
import { webviewOptions, webviewPage } from "../webview/page";

const LEDGER_TYPE = "ragAssistant.ledger";
const PAGE_SIZE = 100;

export class LedgerPage implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private sourceId = "";
  /** Pages of what was left out that are shown. */
  private pages = 1;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly daemon: DaemonService,
    private readonly tokens: EditorSourceTokens,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** One tab for all sources: it shows the one that was asked for last. */
  show(source: Source): void {
    this.sourceId = source.id;
    this.pages = 1;
    const title = l10n.t("Ledger: {0}", source.name);
    if (this.panel) {
      this.panel.title = title;
      this.panel.reveal();
      this.refresh();
      return;
    }
    const options = webviewOptions(this.context.extensionUri);
    this.panel = this.adopted(vscode.window.createWebviewPanel(LEDGER_TYPE, title, vscode.ViewColumn.Active, options));
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private adopted(panel: vscode.WebviewPanel): vscode.WebviewPanel {
    const listeners: { dispose(): unknown }[] = [
      onDaemonChange(this.daemon, () => this.refresh()),
      this.tokens.onDidChange(() => this.refresh()),
      panel.onDidChangeViewState(() => this.refresh()),
      panel.webview.onDidReceiveMessage((message: LedgerMessageToExtension) => this.receive(message)),
    ];
    panel.onDidDispose(() => {
      this.panel = undefined;
      for (const listener of listeners) listener.dispose();
    });
    panel.webview.html = webviewPage(panel.webview, this.context.extensionUri, "ledger", "RAG Assistant");
    return panel;
  }

  private receive(message: LedgerMessageToExtension): void {
    switch (message.type) {
      case "ready":
        this.post({ type: "init", text: vscode.l10n.bundle ?? {}, language: vscode.env.language });
        this.refresh();
        return;
      case "refresh":
        this.refresh();
        return;
      case "more":
        this.pages += 1;
        this.refresh();
        return;
      case "sync":
        this.start((client, id) => client.syncSource(id));
        return;
      case "retry": {
        const items = message.items?.filter((one) => typeof one === "string");
        this.start((client, id) => client.retrySource(id, items));
        return;
      }
      case "webview.error":
        this.log.error(`Ledger: ${message.message}\n${message.stack}`);
    }
  }

  private start(begin: (client: DaemonClient, id: string) => Promise<{ job_id: string }>): void {
    const { sourceId } = this;
    const work = async () => {
      const client = await this.daemon.client();
      await withJobProgress(this.daemon, l10n.t("Reading a source"), () => begin(client, sourceId));
    };
    void work()
      .catch((error: unknown) => showFailure(error, this.log))
      .finally(() => this.refresh());
  }

  /** A hidden one is drawn when it is seen again. */
  private refresh(): void {
    if (this.panel?.visible !== true) return;
    const { sourceId } = this;
    void this.load(sourceId).then(
      (state) => {
        if (sourceId === this.sourceId) this.post({ type: "state", state });
      },
      (error: unknown) => {
        if (isCancelled(error)) return;
        const { message, advice } = describe(error);
        this.post({ type: "failed", message, advice });
      },
    );
  }

  private async load(id: string): Promise<LedgerState> {
    const { status } = this.daemon;
    if (status.kind !== "ready") throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon is not running."));
    const { client } = status;
    const [sources, { cycles, counts }, kept] = await Promise.all([
      client.sources(),
      client.ledger(id),
      this.tokens.all(),
    ]);
    const source = sources.find((one) => one.id === id);
    if (!source) throw new RagError("SOURCE_NOT_FOUND", l10n.t("This source is no longer there."));
    const held = await client.ledgerItems(id, "held", 1, PAGE_SIZE);
    const skipped: LedgerState["skipped"] = [];
    let skippedTotal = 0;
    for (let page = 1; page <= this.pages; page += 1) {
      const got = await client.ledgerItems(id, "skipped", page, PAGE_SIZE);
      skipped.push(...got.items);
      skippedTotal = got.total;
    }
    return {
      ...{ name: source.name, cycles, counts, skipped, skippedTotal, held: held.items, heldTotal: held.total },
      about: cloudLines(source, kept.has(id), vscode.env.language).filter((line) => line !== ""),
    };
  }

  private post(message: LedgerMessageToWebview): void {
    void this.panel?.webview.postMessage(message);
  }
}
