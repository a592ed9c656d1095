/** The set-up of this window: the steps with the editor's settings, extensions and notifications. */

import { unwatchFile, watchFile } from "node:fs";
import path from "node:path";

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonClient } from "../../core/client/daemonClient";
import { Setup } from "../../core/setup/setup";
import type { SetupService } from "../../core/setup/setupService";
import type { SetupProgress } from "../../protocol/setup";
import { type EditorDaemon, bundledServerFolder, offerActions } from "../daemon/editorDaemon";
import { affectsServer, serverSettings, thisMachine } from "../daemon/settings";
import { choosePython } from "./choosePython";
import { editorPythons } from "./editorPythons";

const LOOK_EVERY_MS = 2_000;

export class EditorSetup implements SetupService, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<SetupProgress>();
  readonly onDidChange = this.changes.event;
  private readonly setup: Setup;
  private readonly disposables: vscode.Disposable[] = [];
  private wasUpdated = false;

  constructor(
    context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly daemon: EditorDaemon,
  ) {
    this.setup = new Setup({
      machine: thisMachine(),
      log,
      serverFolder: bundledServerFolder(context),
      environment: path.join(context.globalStorageUri.fsPath, "environment"),
      record: daemon.record,
      settings: serverSettings,
      fromEditor: (signal) => editorPythons(log, signal),
      stopForUpdate: () => daemon.stopForUpdate(),
      startDaemon: (onDetail, signal) => startDaemon(daemon, onDetail, signal),
    });
    this.setup.onDidChange((progress) => this.changes.fire(progress));
    this.disposables.push(
      vscode.workspace.onDidChangeConfiguration((event) => affectsServer(event) && this.setup.settingsChanged()),
      daemon.onDidChangeStatus(
        (status) => status.kind === "setupNeeded" && status.reason === "updated" && void this.update(),
      ),
    );
    // Another window may be the one that sets it up.
    watchFile(daemon.record.file, { interval: LOOK_EVERY_MS, persistent: false }, () => {
      if (daemon.status.kind === "setupNeeded" && this.progress.state !== "running") void daemon.refresh();
    });
  }

  get progress(): SetupProgress {
    return this.setup.progress;
  }

  async run(): Promise<boolean> {
    const isDone = await this.setup.run();
    const { state, problem } = this.progress;
    if (state === "failed" && problem !== undefined) {
      const [first = ""] = problem.message.split("\n");
      const labels = problem.actions
        .filter(({ command }) => command !== "ragAssistant.setup")
        .map(({ label }) => label);
      const text = l10n.t("RAG Assistant could not be set up. {0}", first);
      void offerActions(problem, vscode.window.showErrorMessage(text, ...labels));
    }
    return isDone;
  }

  cancel(): void {
    void this.setup.cancel();
  }

  choosePython(): Promise<void> {
    return choosePython((signal) => editorPythons(this.log, signal));
  }

  dispose(): void {
    unwatchFile(this.daemon.record.file);
    this.cancel();
    vscode.Disposable.from(...this.disposables, this.changes).dispose();
  }

  /** The extension was updated since the set-up: its daemon follows, without being asked for, once a window. */
  private async update(): Promise<void> {
    if (this.wasUpdated) return;
    this.wasUpdated = true;
    this.log.info("The extension carries another daemon than the one that is set up: setting it up again.");
    await this.run();
  }
}

export function createSetupService(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  daemon: EditorDaemon,
): EditorSetup {
  return new EditorSetup(context, log, daemon);
}

async function startDaemon(
  daemon: EditorDaemon,
  onDetail: (detail: string) => void,
  signal: AbortSignal,
): Promise<DaemonClient> {
  const listener = daemon.onDidChangeStatus(
    (status) => status.kind === "starting" && status.detail && onDetail(status.detail),
  );
  try {
    await daemon.refresh();
    const cancelled = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    signal.throwIfAborted();
    return await Promise.race([daemon.client(), cancelled]);
  } finally {
    listener.dispose();
  }
}
