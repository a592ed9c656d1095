/** The daemon of this window: the supervisor with the editor's settings, secrets, notifications and context key. */

import path from "node:path";

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonState } from "../../core/api/types";
import type { DaemonClient } from "../../core/client/daemonClient";
import type { SourceTokens } from "../../core/client/sourceTokens";
import { type ServerSpec, resolveServer } from "../../core/daemon/serverSpec";
import type { Notice, DaemonStatus, DaemonService } from "../../core/daemon/status";
import { StopMark } from "../../core/daemon/stopMark";
import { Supervisor } from "../../core/daemon/supervisor";
import { SetupRecord } from "../../core/setup/bundledServer";
import type { Problem } from "../../protocol/setup";
import type { AgreementStore } from "./agreementStore";
import type { ModelStore } from "./modelStore";
import type { ServerToken } from "./serverToken";
import { affectsServer, serverSettings, thisMachine } from "./settings";

/** Several settings may be written one after another. */
const SETTLE_MS = 300;

export class EditorDaemon implements DaemonService, vscode.Disposable {
  private readonly statuses = new vscode.EventEmitter<DaemonStatus>();
  private readonly lives = new vscode.EventEmitter<DaemonState>();
  readonly onDidChangeStatus = this.statuses.event;
  readonly onDidChangeLive = this.lives.event;
  /** Remembers the environment that the set-up has made. */
  readonly record: SetupRecord;

  private readonly supervisor: Supervisor;
  private readonly disposables: vscode.Disposable[] = [];
  private settling: NodeJS.Timeout | undefined;

  constructor(
    context: vscode.ExtensionContext,
    log: vscode.LogOutputChannel,
    private readonly token: ServerToken,
    sourceTokens: SourceTokens,
    private readonly models: ModelStore,
    private readonly pictures: AgreementStore,
  ) {
    const storage = context.globalStorageUri.fsPath;
    this.record = new SetupRecord(path.join(storage, "setup.json"), bundledServerFolder(context));
    const { version } = context.extension.packageJSON as { version: string };
    this.supervisor = new Supervisor({
      machine: thisMachine(),
      logFile: path.join(context.logUri.fsPath, "daemon.log"),
      log,
      bundledVersion: version,
      sourceTokens,
      resolve: () => this.server(),
      claimFile: path.join(storage, "starting"),
      stopMark: new StopMark(path.join(storage, "stopped")),
    });
    this.supervisor.onDidChangeStatus((status) => {
      this.publishState(status);
      this.statuses.fire(status);
    });
    this.supervisor.onDidChangeLive((state) => this.lives.fire(state));
    this.supervisor.onNotice((notice) => void showNotice(notice));
    this.disposables.push(
      vscode.workspace.onDidChangeConfiguration((event) => affectsServer(event) && this.refreshSoon()),
      token.onDidChange(() => this.refreshSoon()),
      models.onDidChange(() => this.refreshSoon()),
      pictures.onDidChange(() => this.refreshSoon()),
    );
    this.publishState(this.supervisor.status);
  }

  get status(): DaemonStatus {
    return this.supervisor.status;
  }

  get live(): DaemonState | undefined {
    return this.supervisor.live;
  }

  /** Finds or starts the daemon; returns at once. */
  start(): void {
    this.supervisor.start();
  }

  client(): Promise<DaemonClient> {
    return this.supervisor.client();
  }

  /** Looks which server is to be used now, and goes over to it. */
  refresh(): Promise<void> {
    return this.supervisor.refresh();
  }

  restart(): Promise<void> {
    return this.supervisor.restart();
  }

  /** Ends the daemon that runs from the environment which the set-up is about to change. */
  stopForUpdate(): Promise<void> {
    return this.supervisor.stopForUpdate();
  }

  stop(): Promise<void> {
    return this.supervisor.stop();
  }

  /** The daemon goes on for other windows; without any it ends by itself. */
  dispose(): void {
    clearTimeout(this.settling);
    vscode.Disposable.from(...this.disposables, this.statuses, this.lives).dispose();
    void this.supervisor.dispose();
  }

  /** Which server the settings name now. Throws `RagError` (SETTING_INVALID). */
  async server(): Promise<ServerSpec> {
    const settings = serverSettings();
    // Each is looked up only where it counts: an extension without a wheel still works with a given server.
    const token = settings.url ? await this.token.read() : "";
    const managed = settings.url || settings.executable ? "new" : await this.record.read();
    const model = settings.url ? undefined : await this.models.read();
    const pictures = settings.url ? undefined : await this.pictures.read();
    return resolveServer({ settings, token, managed, machine: thisMachine(), model, pictures });
  }

  private refreshSoon(): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => void this.refresh(), SETTLE_MS);
  }

  private publishState({ kind }: DaemonStatus): void {
    const state = kind === "stopped" ? "attention" : kind;
    void vscode.commands.executeCommand("setContext", "ragAssistant.state", state);
  }
}

/** `setup/bootstrap.py`, the locks and the wheel. */
export function bundledServerFolder(context: vscode.ExtensionContext): string {
  return path.join(context.extensionUri.fsPath, "dist", "server");
}

export function createDaemonService(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  token: ServerToken,
  sourceTokens: SourceTokens,
  models: ModelStore,
  pictures: AgreementStore,
): EditorDaemon {
  const daemon = new EditorDaemon(context, log, token, sourceTokens, models, pictures);
  // Not within the activation: looking for a daemon reads files.
  setImmediate(() => daemon.start());
  return daemon;
}

/** Runs what the user chose of a problem's buttons. */
export async function offerActions(problem: Problem, chosen: Thenable<string | undefined>): Promise<void> {
  const label = await chosen;
  const action = problem.actions.find((one) => one.label === label);
  if (action === undefined) return;
  if (action.command === "ragAssistant.openSettings")
    await vscode.commands.executeCommand("workbench.action.openSettings", "ragAssistant");
  else await vscode.commands.executeCommand(action.command);
}

async function showNotice(notice: Notice): Promise<void> {
  switch (notice.kind) {
    case "recovered": {
      const showLog = l10n.t("Show Log");
      const text = l10n.t("The RAG Assistant daemon ended unexpectedly and was started again.");
      if ((await vscode.window.showInformationMessage(text, showLog)) === showLog) {
        await vscode.commands.executeCommand("ragAssistant.showLog");
      }
      break;
    }
    case "replaced":
      await vscode.window.showInformationMessage(
        l10n.t(
          "A RAG Assistant daemon of version {0} was running; it was replaced by the current one.",
          notice.version,
        ),
      );
      break;
    case "gaveUp": {
      const { problem } = notice;
      const labels = problem.actions.map(({ label }) => label);
      await offerActions(problem, vscode.window.showErrorMessage(`${problem.message} ${problem.advice}`, ...labels));
      break;
    }
  }
}
