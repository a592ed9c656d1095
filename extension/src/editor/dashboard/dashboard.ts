/** The daemon's dashboard in a tab: the pages are the browser's, their requests go through here. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Source } from "../../core/api/types";
import type { DaemonClient } from "../../core/client/daemonClient";
import { relayedPath } from "../../core/client/relay";
import { RagError, isCancelled } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { describe } from "../../core/problems/failures";
import type {
  DashboardMessageToExtension,
  DashboardMessageToWebview,
  DashboardRequest,
} from "../../protocol/dashboard";
import { showFailure } from "../common/showFailure";
import type { EditorSourceTokens } from "../sources/editorSourceTokens";
import { webviewOptions, webviewPage } from "../webview/page";

const DASHBOARD_TYPE = "ragAssistant.dashboard";

export class Dashboard implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** The page to begin with; empty for the one that the webview remembers. */
  private address = "";
  private readonly open = new Map<number, AbortController>();
  private readonly registration = vscode.window.registerWebviewPanelSerializer(DASHBOARD_TYPE, this);

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly daemon: DaemonService,
    private readonly tokens: EditorSourceTokens,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  show(address = ""): void {
    this.address = address;
    if (this.panel) {
      this.panel.reveal();
      if (address !== "") this.post({ type: "show", address });
      return;
    }
    // What was typed and where the page stood would be lost whenever another tab covers it.
    const options = { ...webviewOptions(this.context.extensionUri), retainContextWhenHidden: true };
    const title = l10n.t("RAG Dashboard");
    this.adopt(vscode.window.createWebviewPanel(DASHBOARD_TYPE, title, vscode.ViewColumn.Active, options));
  }

  showLedger({ id }: Source): void {
    this.show(`#/ledger/${encodeURIComponent(id)}`);
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = webviewOptions(this.context.extensionUri);
    this.adopt(panel);
    return Promise.resolve();
  }

  dispose(): void {
    this.registration.dispose();
    this.panel?.dispose();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    const changed = () => this.post({ type: "changed" });
    const disposables: { dispose(): unknown }[] = [
      this.daemon.onDidChangeStatus(changed),
      this.tokens.onDidChange(changed),
      panel.webview.onDidReceiveMessage((message: DashboardMessageToExtension) => this.receive(message)),
    ];
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.callOffAll();
      for (const disposable of disposables) disposable.dispose();
    });
    panel.webview.html = webviewPage(panel.webview, this.context.extensionUri, "dashboard", "RAG Assistant");
  }

  private receive(message: DashboardMessageToExtension): void {
    switch (message.type) {
      case "ready":
        // A reloaded page numbers its requests anew.
        this.callOffAll();
        this.post({ type: "init", language: vscode.env.language, address: this.address });
        return;
      case "request":
        void this.answer(message.id, message);
        return;
      case "request.cancel":
        this.open.get(message.id)?.abort();
        return;
      case "browser.open":
        void this.openBrowser().catch((error: unknown) => showFailure(error, this.log));
        return;
      case "webview.error":
        this.log.error(`Dashboard: ${message.message}\n${message.stack}`);
    }
  }

  private async openBrowser(): Promise<void> {
    const client = await this.daemon.client();
    await vscode.env.openExternal(vscode.Uri.parse(await client.dashboardLink(), true));
  }

  private async answer(id: number, request: DashboardRequest): Promise<void> {
    const controller = new AbortController();
    this.open.set(id, controller);
    try {
      this.post({ type: "answer", id, body: await this.asked(id, request, controller.signal) });
    } catch (error) {
      if (isCancelled(error)) return;
      const { code, message, advice } = describe(error);
      this.post({ type: "failed", id, code, message: [message, advice].filter(Boolean).join(" ") });
    } finally {
      if (this.open.get(id) === controller) this.open.delete(id);
    }
  }

  private async asked(id: number, { method, path, body, as }: DashboardRequest, signal: AbortSignal): Promise<unknown> {
    const client = this.ready();
    const sent = relayedPath(path);
    if (as === "bytes") return client.relayedBytes(sent, signal);
    if (as === "json") return client.relayed(method, sent, body, signal);
    for await (const { event, data } of client.relayedEvents(sent, signal))
      this.post({ type: "event", id, event, data: JSON.parse(data) as unknown });
    return undefined;
  }

  /** Looking at the dashboard starts nothing: a daemon that was stopped stays so. */
  private ready(): DaemonClient {
    const { status } = this.daemon;
    if (status.kind === "ready") return status.client;
    if (status.kind === "attention") {
      const { code, message, advice } = status.problem;
      throw new RagError(code, message, advice);
    }
    throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon is not running."));
  }

  private callOffAll(): void {
    for (const controller of this.open.values()) controller.abort();
    this.open.clear();
  }

  private post(message: DashboardMessageToWebview): void {
    void this.panel?.webview.postMessage(message);
  }
}
