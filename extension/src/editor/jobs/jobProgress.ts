/** A job shown as a notification with its progress, which can be cancelled, and with what came of it. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Job, JobResult } from "../../core/api/types";
import { RagError } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { followJob } from "../../core/ingest/followJob";
import { failureWords } from "../../core/problems/failures";
import { jobTitle, progressText, resultText } from "../../protocol/jobs";

/** `start` begins the work and gives the job's id. Throws `RagError` when it could not begin or the job failed. */
export async function withJobProgress(
  daemon: DaemonService,
  title: string,
  start: (signal: AbortSignal) => Promise<{ job_id: string }>,
): Promise<void> {
  const job = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      const sending = new AbortController();
      let jobId: string | undefined;
      let cancelling: Promise<unknown> = Promise.resolve();
      const cancelled = token.onCancellationRequested(() => {
        if (jobId === undefined) sending.abort();
        else cancelling = cancel(daemon, jobId);
      });
      try {
        jobId = (await start(sending.signal)).job_id;
        if (sending.signal.aborted) await cancel(daemon, jobId);
        const shown = { fraction: 0 };
        // Calling off goes through the daemon: it ends the job between two files, and its progress says so.
        const ended = await followJob(
          daemon,
          jobId,
          (one) => report(progress, one, shown),
          new AbortController().signal,
        );
        await cancelling;
        return ended;
      } finally {
        cancelled.dispose();
      }
    },
  );
  showResult(job, title);
}

async function cancel(daemon: DaemonService, jobId: string): Promise<void> {
  await (await daemon.client()).cancelJob(jobId);
}

type Progress = vscode.Progress<{ message?: string; increment?: number }>;

function report(progress: Progress, job: Job, shown: { fraction: number }): void {
  const { done, total } = job.progress;
  const fraction = total > 0 ? Math.min(1, done / total) : shown.fraction;
  const increment = Math.max(0, fraction - shown.fraction) * 100;
  shown.fraction = Math.max(fraction, shown.fraction);
  progress.report({ message: progressText(job.progress), increment });
}

function showResult(job: Job, title: string): void {
  if (job.status === "failed") {
    const { code, message } = job.error ?? { code: "INTERNAL_ERROR", message: l10n.t("The daemon does not say why.") };
    throw new RagError(code, `${jobTitle(job)}: ${message}`);
  }
  const { result } = job;
  const counts = result ? resultText({ ...result, failed: result.failed.length }) : l10n.t("Done");
  const message =
    job.status === "cancelled" ? l10n.t("{0}: cancelled. {1}", title, counts) : l10n.t("{0}: {1}", title, counts);
  if (!result || result.failed.length === 0) {
    void vscode.window.showInformationMessage(message);
    return;
  }
  const show = l10n.t("Show Failed");
  void vscode.window
    .showWarningMessage(message, show)
    .then((chosen) => (chosen === show ? showFailed(result) : undefined));
}

async function showFailed({ failed }: JobResult): Promise<void> {
  const items = failed.map((one) => ({
    label: one.source,
    detail: failureWords(one),
    iconPath: new vscode.ThemeIcon("error"),
  }));
  const title = l10n.t("Documents that could not be read");
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDetail: true });
  if (chosen) await vscode.commands.executeCommand("ragAssistant.collections.focus");
}
