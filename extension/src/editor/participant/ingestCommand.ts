/** `/ingest`: the files and folders that are attached or named, or chosen now, into the index. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Job } from "../../core/api/types";
import { isOnThisMachine } from "../../core/client/connection";
import { throwIfCancelled } from "../../core/common/cancellation";
import { RagError } from "../../core/common/errors";
import { escapeMarkdown } from "../../core/common/safeMarkdown";
import type { DaemonService } from "../../core/daemon/status";
import { followJob } from "../../core/ingest/followJob";
import { readLocalFiles } from "../../core/ingest/localFiles";
import { splitPaths } from "../../core/ingest/pathArguments";
import { failureReason } from "../../core/problems/failures";
import { progressText, resultText } from "../../protocol/jobs";
import { askOptions } from "./requests";
import type { ChatResponse } from "./response";

const MOST_FAILURES = 20;

export async function ingestCommand(
  daemon: DaemonService,
  request: vscode.ChatRequest,
  response: ChatResponse,
  signal: AbortSignal,
): Promise<void> {
  const named = pathsOf(request);
  const missing = named.filter((one) => !existsSync(one));
  if (missing.length > 0) {
    throw new RagError(
      "NOT_FOUND",
      l10n.t("There is no such file or folder: {0}", missing.join(", ")),
      l10n.t("Attach files with #file, or write paths; those with blanks in quotes."),
    );
  }
  const paths = named.length > 0 ? named : await pick();
  throwIfCancelled(signal);
  if (paths.length === 0) {
    response.markdown(l10n.t("Nothing was chosen."));
    return;
  }
  const { collection } = askOptions();
  response.progress(l10n.t("Adding {0}", paths.map((one) => path.basename(one)).join(", ")));
  const client = await daemon.client();
  const here = isOnThisMachine(client.connection.url);
  const started = here
    ? await client.ingest(paths, collection)
    : await client.upload(await readLocalFiles(paths), collection);
  const job = await follow(daemon, started.job_id, response, signal);
  showResult(job, response);
}

function pathsOf(request: vscode.ChatRequest): string[] {
  const attached = request.references.toReversed().flatMap(({ value }) => {
    const uri = value instanceof vscode.Location ? value.uri : value;
    return uri instanceof vscode.Uri && uri.scheme === "file" ? [uri.fsPath] : [];
  });
  let text = request.prompt;
  for (const { range } of request.references) if (range) text = text.slice(0, range[0]) + text.slice(range[1]);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  const written = splitPaths(text).map((one) => path.resolve(folder, one.replace(/^~(?=$|[/\\])/, homedir())));
  return [...new Set([...attached, ...written])];
}

async function pick(): Promise<string[]> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: true,
    canSelectFiles: true,
    canSelectFolders: true,
    openLabel: l10n.t("Add"),
    title: l10n.t("Files and folders to add"),
  });
  return (chosen ?? []).map((uri) => uri.fsPath);
}

/** The finished job. Stopping the chat answer cancels it. */
async function follow(daemon: DaemonService, id: string, response: ChatResponse, signal: AbortSignal): Promise<Job> {
  let shown = "";
  const report = ({ progress }: Job) => {
    const line = progressText(progress);
    if (line !== shown) response.progress(line);
    shown = line;
  };
  try {
    return await followJob(daemon, id, report, signal);
  } catch (error) {
    if (signal.aborted) await (await daemon.client()).cancelJob(id);
    throw error;
  }
}

function showResult({ status, result, error, collection }: Job, response: ChatResponse): void {
  if (status === "failed") {
    throw new RagError(error?.code ?? "INTERNAL_ERROR", error?.message ?? l10n.t("The daemon does not say why."));
  }
  const counts = result ? resultText({ ...result, failed: result.failed.length }) : "";
  const shown =
    status === "cancelled"
      ? l10n.t("Adding was called off. {0}", counts)
      : l10n.t("Collection {0}: {1}", collection, counts);
  response.markdown(`${escapeMarkdown(shown)}\n\n`);
  const failed = result?.failed ?? [];
  for (const { source, message, code } of failed.slice(0, MOST_FAILURES)) {
    response.markdown(`- **${escapeMarkdown(source)}**: ${escapeMarkdown(failureReason(code) ?? message)}\n`);
  }
  const more = failed.length - MOST_FAILURES;
  if (more > 0) response.markdown(`- ${l10n.t("{0} more", more)}\n`);
}
