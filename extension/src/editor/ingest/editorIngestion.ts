/** Adding files and folders to a collection: from the explorer, a tab, a collection's row, or a dialog. */

import { basename } from "node:path";

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { isOnThisMachine } from "../../core/client/connection";
import { RagError } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { readLocalFiles } from "../../core/ingest/localFiles";
import { chooseCollection } from "../collections/chooseCollection";
import { CollectionRow } from "../collections/rows";
import { showFailure } from "../common/showFailure";
import { withJobProgress } from "../jobs/jobProgress";

export class EditorIngestion {
  constructor(
    private readonly daemon: DaemonService,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The command: `target` is a file or folder (`all`: those selected with it), a collection's row, or nothing. */
  addCommand(target?: unknown, all?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const given = uris(target, all);
      const chosen = given.length > 0 ? given : await pickFiles();
      if (chosen.length > 0)
        await this.addFiles(chosen, target instanceof CollectionRow ? target.collection.name : undefined);
    });
  }

  /** The command: the folder is read now and followed from then on. */
  watchCommand(target?: unknown): Promise<void> {
    return this.showingFailures(async () => {
      const [folder] =
        target instanceof vscode.Uri ? [target] : await pick({ canSelectFolders: true, canSelectFiles: false });
      if (!folder) return;
      const [path] = paths([folder]);
      const client = await this.daemon.client();
      if (!isOnThisMachine(client.connection.url)) {
        throw new RagError(
          "FORBIDDEN_PATH",
          l10n.t("The daemon runs on another machine and can't follow folders of this one."),
          l10n.t("Add the folder once instead, or follow it from the daemon's machine."),
        );
      }
      const collection = await chooseCollection(client, folder);
      if (path === undefined || collection === undefined || !(await this.agrees(path, collection))) return;
      const source = await client.addFolder(path, collection);
      const { job_id } = source;
      if (job_id !== null)
        await withJobProgress(this.daemon, l10n.t("Reading {0}", source.name), () => Promise.resolve({ job_id }));
    });
  }

  private async addFiles(chosen: readonly vscode.Uri[], given: string | undefined): Promise<void> {
    const files = paths(chosen);
    const client = await this.daemon.client();
    const collection = given ?? (await chooseCollection(client, chosen[0]));
    if (collection === undefined) return;
    const [first] = files;
    const what = files.length === 1 && first ? basename(first) : l10n.t("{0} files and folders", files.length);
    await withJobProgress(this.daemon, l10n.t("Adding {0} to {1}", what, collection), async (signal) => {
      if (isOnThisMachine(client.connection.url)) return client.ingest(files, collection);
      const uploads = await readLocalFiles(files);
      signal.throwIfAborted();
      return client.upload(uploads, collection);
    });
  }

  /** Says what would be read, as a folder can hold more than people think. */
  private async agrees(path: string, collection: string): Promise<boolean> {
    const client = await this.daemon.client();
    const preview = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: l10n.t("Looking into {0}", basename(path)) },
      () => client.previewFolder(path),
    );
    const types = Object.entries(preview.by_type)
      .sort(([, a], [, b]) => b - a)
      .map(([type, count]) => `${type} ${count}`);
    const message =
      preview.files === 1
        ? l10n.t("Follow “{0}”? 1 file will be added to {1}.", basename(path), collection)
        : l10n.t("Follow “{0}”? {1} files will be added to {2}.", basename(path), preview.files, collection);
    const detail = [types.join(", "), l10n.t("Files that are added, changed or deleted later are followed.")].filter(
      (line) => line !== "",
    );
    const follow = l10n.t("Follow Folder");
    return (
      (await vscode.window.showInformationMessage(message, { modal: true, detail: detail.join("\n") }, follow)) ===
      follow
    );
  }

  private async showingFailures(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showFailure(error, this.log);
    }
  }
}

function uris(target: unknown, all: unknown): vscode.Uri[] {
  const given: unknown[] = Array.isArray(all) && all.length > 0 ? all : [target];
  return given.filter((one) => one instanceof vscode.Uri);
}

/** Throws `RagError` for what is not a file of this machine. */
function paths(chosen: readonly vscode.Uri[]): string[] {
  const foreign = chosen.find(({ scheme }) => scheme !== "file");
  if (foreign) {
    throw new RagError(
      "UNSUPPORTED_MEDIA_TYPE",
      l10n.t("“{0}” is not a file on this machine.", foreign.toString(true)),
      l10n.t("Save it as a file first, then add that."),
    );
  }
  return [...new Set(chosen.map(({ fsPath }) => fsPath))];
}

/** Most systems' dialogs choose either files or folders, so people are asked which. */
async function pickFiles(): Promise<vscode.Uri[]> {
  const files = { label: l10n.t("Files…"), iconPath: new vscode.ThemeIcon("file"), folders: false };
  const folders = { label: l10n.t("Folders…"), iconPath: new vscode.ThemeIcon("folder"), folders: true };
  const chosen = await vscode.window.showQuickPick([files, folders], { title: l10n.t("Add to Knowledge Base") });
  return chosen ? pick({ canSelectFiles: !chosen.folders, canSelectFolders: chosen.folders, canSelectMany: true }) : [];
}

async function pick(options: vscode.OpenDialogOptions): Promise<vscode.Uri[]> {
  return (await vscode.window.showOpenDialog({ ...options, openLabel: l10n.t("Add") })) ?? [];
}
