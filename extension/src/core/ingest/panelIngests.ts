/** Documents that are added from the panel: several at once, each followed to its end whether or not the webview is there to show it. */

import { randomUUID } from "node:crypto";
import { basename } from "node:path";

import * as l10n from "@vscode/l10n";

import type { IngestStatus } from "../../protocol/chat";
import type { Job, JobResult } from "../api/types";
import { isOnThisMachine } from "../client/connection";
import type { DaemonClient, UploadFile } from "../client/daemonClient";
import { brokenOff, isUnreachable, reachable, type ClientProvider } from "../client/reachable";
import { RagError, isCancelled } from "../common/errors";
import type { Log } from "../common/log";
import { failureWords, logFailure, problemOf } from "../problems/failures";

/** Of ended ones, how many stay to be looked at. */
const KEPT = 20;
const MOST_LOST_CONNECTIONS = 5;

/** What is sent to the daemon: paths that it reads itself, or bytes. */
type Work = { paths: string[] } | { files: UploadFile[] };

interface Ingest {
  status: IngestStatus;
  abort: AbortController;
  jobId?: string;
}

export class PanelIngests {
  private readonly all = new Map<string, Ingest>();

  /** `readFiles`: the files at these paths, and under them, for a daemon on another machine. */
  constructor(
    private readonly daemon: ClientProvider,
    private readonly readFiles: (paths: string[]) => Promise<UploadFile[]>,
    private readonly changed: (status: IngestStatus) => void,
    private readonly log: Log,
  ) {}

  statuses(): IngestStatus[] {
    return [...this.all.values()].map(({ status }) => status);
  }

  /** Resolves when it has ended, however it did. */
  addPaths(paths: string[], collection: string): Promise<void> {
    const names = paths.map((path) => basename(path));
    return this.follow(this.begin(randomUUID(), names, collection), { paths });
  }

  /** `id`: of one that is shown already, while its files came in. */
  addFiles(id: string, files: UploadFile[], collection: string): Promise<void> {
    const names = files.map(({ name }) => name);
    return this.follow(this.begin(id, names, collection), { files });
  }

  /** Files that are on their way from the webview. */
  announce(id: string, names: string[], collection: string): void {
    this.begin(id, names, collection);
  }

  /** What could not even be sent. */
  refuse(id: string, error: RagError): void {
    const ingest = this.all.get(id);
    if (ingest) this.change(ingest, { state: "failed", error: problemOf(error) });
  }

  async cancel(id: string): Promise<void> {
    const ingest = this.all.get(id);
    if (!ingest || hasEnded(ingest.status)) return;
    if (ingest.jobId === undefined) {
      ingest.abort.abort();
      this.change(ingest, { state: "cancelled" });
    } else {
      // The daemon ends the job between two files, and its progress says so.
      await (await this.daemon.client()).cancelJob(ingest.jobId);
    }
  }

  /** Whether it has ended; one that never began has not. */
  isOver(id: string): boolean {
    const ingest = this.all.get(id);
    return ingest !== undefined && hasEnded(ingest.status);
  }

  /** Stops following; the daemon goes on. */
  dispose(): void {
    for (const { abort } of this.all.values()) abort.abort();
  }

  private begin(id: string, names: string[], collection: string): Ingest {
    const known = this.all.get(id);
    const ingest = known ?? { status: { id, names, collection, state: "sending" }, abort: new AbortController() };
    this.all.set(id, ingest);
    this.change(ingest, { names });
    const ended = [...this.all.values()].filter(({ status }) => hasEnded(status));
    for (const { status } of ended.slice(0, Math.max(0, ended.length - KEPT))) this.all.delete(status.id);
    return ingest;
  }

  private change(ingest: Ingest, change: Partial<IngestStatus>): void {
    ingest.status = { ...ingest.status, ...change };
    this.changed(ingest.status);
  }

  private async follow(ingest: Ingest, work: Work): Promise<void> {
    const { signal } = ingest.abort;
    try {
      const client = await this.daemon.client();
      signal.throwIfAborted();
      const { job_id } = await this.send(client, work, ingest.status.collection);
      ingest.jobId = job_id;
      if (signal.aborted) await client.cancelJob(job_id);
      else await this.watch(ingest, client, job_id);
    } catch (error) {
      if (isCancelled(error) || signal.aborted) return;
      logFailure(this.log, "Adding documents failed", error);
      this.change(ingest, { state: "failed", error: problemOf(error) });
    }
  }

  private async send(client: DaemonClient, work: Work, collection: string): Promise<{ job_id: string }> {
    if ("files" in work) return client.upload(work.files, collection);
    if (isOnThisMachine(client.connection.url)) return client.ingest(work.paths, collection);
    return client.upload(await this.readFiles(work.paths), collection);
  }

  /** Until the job has ended; a daemon that is restarted goes on with it. */
  private async watch(ingest: Ingest, first: DaemonClient, jobId: string): Promise<void> {
    const { signal } = ingest.abort;
    let client = first;
    for (let lost = 0; ; lost += 1) {
      try {
        for await (const job of client.jobProgress(jobId, signal)) {
          this.change(ingest, statusOf(job));
          if (hasEnded(ingest.status)) return;
        }
        throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon broke off before the documents were read."));
      } catch (error) {
        if (isCancelled(error)) throw error;
        const failure = brokenOff(error);
        if (!isUnreachable(failure) || lost === MOST_LOST_CONNECTIONS) throw failure;
        client = await reachable(this.daemon, signal);
      }
    }
  }
}

function hasEnded({ state }: IngestStatus): boolean {
  return state === "done" || state === "failed" || state === "cancelled";
}

function statusOf(job: Job): Partial<IngestStatus> {
  const result = job.result ? { result: inPlainWords(job.result) } : {};
  switch (job.status) {
    case "queued":
    case "running":
      return { state: job.status, progress: job.progress, ...result };
    case "completed":
      return { state: "done", progress: job.progress, ...result };
    case "cancelled":
      return { state: "cancelled", progress: job.progress, ...result };
    case "failed": {
      const { code, message } = job.error ?? {
        code: "INTERNAL_ERROR",
        message: l10n.t("The daemon does not say why."),
      };
      return { state: "failed", progress: job.progress, ...result, error: problemOf(new RagError(code, message)) };
    }
  }
}

function inPlainWords(result: JobResult): JobResult {
  return {
    ...result,
    failed: result.failed.map((one) => ({ ...one, message: failureWords(one) })),
  };
}
