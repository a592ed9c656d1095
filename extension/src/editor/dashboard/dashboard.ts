/** The dashboard: what the daemon is, holds and does, in a tab. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Job, TraceDetail, TraceRow } from "../../core/api/types";
import type { DaemonClient } from "../../core/client/daemonClient";
import { RagError, isCancelled } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { describe } from "../../core/problems/failures";
import type { DashboardMessageToExtension, DashboardMessageToWebview, DashboardState } from "../../protocol/dashboard";
import { showFailure } from "../common/showFailure";
import { onDaemonChange } from "../daemon/onDaemonChange";
import { webviewOptions, webviewPage } from "../webview/page";

const DASHBOARD_TYPE = "ragAssistant.dashboard";
const SHOWN = 20;

export class Dashboard implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private underWay = "";
  private readonly stages = new Map<string, string[]>();
  private readonly registration = vscode.window.registerWebviewPanelSerializer(DASHBOARD_TYPE, this);

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly daemon: DaemonService,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  show(): void {
    if (this.panel) {
      this.panel.reveal();
      return;
    }
    const options = webviewOptions(this.context.extensionUri);
    const title = l10n.t("RAG Dashboard");
    this.adopt(vscode.window.createWebviewPanel(DASHBOARD_TYPE, title, vscode.ViewColumn.Active, options));
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
    const disposables: { dispose(): unknown }[] = [
      onDaemonChange(this.daemon, () => this.refresh(panel)),
      this.daemon.onDidChangeLive(({ jobs }) => this.showJobs(panel, jobs)),
      panel.onDidChangeViewState(() => this.refresh(panel)),
      panel.webview.onDidReceiveMessage((message: DashboardMessageToExtension) => this.receive(panel, message)),
    ];
    panel.onDidDispose(() => {
      this.panel = undefined;
      for (const disposable of disposables) disposable.dispose();
    });
    panel.webview.html = webviewPage(panel.webview, this.context.extensionUri, "dashboard", "RAG Assistant");
  }

  private receive(panel: vscode.WebviewPanel, message: DashboardMessageToExtension): void {
    switch (message.type) {
      case "ready":
        this.post(panel, { type: "init", text: vscode.l10n.bundle ?? {}, language: vscode.env.language });
        this.refresh(panel);
        return;
      case "refresh":
        this.refresh(panel);
        return;
      case "browser.open":
        void this.openBrowser().catch((error: unknown) => showFailure(error, this.log));
        return;
      case "job.cancel":
        void this.cancel(panel, message.jobId).catch((error: unknown) => showFailure(error, this.log));
        return;
      case "webview.error":
        this.log.error(`Dashboard: ${message.message}\n${message.stack}`);
    }
  }

  private async openBrowser(): Promise<void> {
    const client = await this.daemon.client();
    await vscode.env.openExternal(vscode.Uri.parse(await client.dashboardLink(), true));
  }

  private async cancel(panel: vscode.WebviewPanel, jobId: string): Promise<void> {
    await (await this.daemon.client()).cancelJob(jobId);
    this.refresh(panel);
  }

  /** What is under way, at once; when a job began or ended, all else, too. */
  private showJobs(panel: vscode.WebviewPanel, jobs: Job[]): void {
    this.post(panel, { type: "jobs", jobs });
    const ids = jobs.map(({ job_id }) => job_id).join(" ");
    if (ids !== this.underWay) this.refresh(panel);
    this.underWay = ids;
  }

  /** A hidden one is drawn when it is seen again. */
  private refresh(panel: vscode.WebviewPanel): void {
    if (!panel.visible) return;
    void this.load().then(
      (state) => this.post(panel, { type: "state", state }),
      (error: unknown) => {
        if (isCancelled(error)) return;
        const { message, advice } = describe(error);
        this.post(panel, { type: "failed", message, advice });
      },
    );
  }

  private async load(): Promise<DashboardState> {
    const daemon = this.daemon.status;
    // Looking at the dashboard starts nothing: a daemon that was stopped stays so.
    if (daemon.kind === "attention")
      throw new RagError(daemon.problem.code, daemon.problem.message, daemon.problem.advice);
    if (daemon.kind !== "ready") throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon is not running."));
    const { client } = daemon;
    const [status, collections, jobs, traces] = await Promise.all([
      client.status(),
      client.collections(),
      client.jobs(1, SHOWN),
      client.traces(1, SHOWN),
    ]);
    const degraded = await this.degradedStages(client, traces.items);
    return { address: client.connection.url, status, collections, jobs: jobs.items, traces: traces.items, degraded };
  }

  /** A trace never changes, so each is asked for once. */
  private async degradedStages(client: DaemonClient, traces: readonly TraceRow[]): Promise<Record<string, string[]>> {
    const missing = traces.filter(({ trace_id, trace_type }) => trace_type === "query" && !this.stages.has(trace_id));
    for (const { trace_id } of missing) this.stages.set(trace_id, degradedIn(await client.trace(trace_id)));
    const shown = new Set(traces.map(({ trace_id }) => trace_id));
    for (const id of this.stages.keys()) if (!shown.has(id)) this.stages.delete(id);
    return Object.fromEntries(this.stages);
  }

  private post(panel: vscode.WebviewPanel, message: DashboardMessageToWebview): void {
    void panel.webview.postMessage(message);
  }
}

function degradedIn({ events }: TraceDetail): string[] {
  const stages = events.filter(({ kind }) => kind === "degraded").map(({ payload }) => payload["stage"]);
  return stages.filter((stage) => typeof stage === "string");
}
