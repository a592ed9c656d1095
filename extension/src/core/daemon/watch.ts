/** Requests that nobody answers: a process that hangs keeps its connections open, so that a question to it would have no end. */

import * as l10n from "@vscode/l10n";

import { untilCancelled } from "../common/cancellation";
import { RagError } from "../common/errors";
import type { DaemonService } from "./status";

type Watched = Pick<DaemonService, "onDidChangeStatus">;

/** A search takes a second, with a language model that rewrites the question some seconds, on a machine that swaps a minute. */
export const SEARCH_LIMIT_MS = 120_000;

export class DaemonWatch {
  /** Ends with what was given, when the daemon is found not to answer, and when the time is over. */
  readonly signal: AbortSignal;
  private readonly lost = new AbortController();
  private readonly listener: { dispose(): void };
  private readonly timer: ReturnType<typeof setTimeout>;
  private failure: RagError | undefined;
  private isNeeded = true;

  constructor(daemon: Watched, signal: AbortSignal, limit = SEARCH_LIMIT_MS) {
    this.signal = AbortSignal.any([signal, this.lost.signal]);
    this.listener = daemon.onDidChangeStatus((status) => {
      if (status.kind !== "attention" || !this.isNeeded) return;
      this.fail(new RagError("DAEMON_SILENT", status.problem.message, status.problem.advice));
    });
    this.timer = setTimeout(() => this.fail(noResult(limit)), limit);
  }

  /** What was waited for has come. */
  found(): void {
    clearTimeout(this.timer);
  }

  /** The rest comes from somebody else. */
  release(): void {
    this.found();
    this.isNeeded = false;
  }

  /** What to throw for what was thrown. */
  reason(error: unknown): unknown {
    return this.failure ?? error;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listener.dispose();
  }

  private fail(error: RagError): void {
    this.failure ??= error;
    this.lost.abort();
  }
}

/** One request. Throws what it throws, and `RagError` DAEMON_SILENT or SEARCH_TIMEOUT. */
export async function whileItAnswers<T>(
  daemon: Watched,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  async function* once(own: AbortSignal): AsyncGenerator<T> {
    yield await work(own);
  }
  const watch = new DaemonWatch(daemon, signal);
  try {
    for await (const result of untilCancelled(once(watch.signal), watch.signal)) return result;
    throw new Error("A request ended without a result.");
  } catch (error) {
    throw watch.reason(error);
  } finally {
    watch.dispose();
  }
}

function noResult(limit: number): RagError {
  return new RagError(
    "SEARCH_TIMEOUT",
    l10n.t(
      "The daemon has searched for {0} s and found nothing yet, so the search was given up.",
      Math.round(limit / 1000),
    ),
    l10n.t("Try again. If it happens again, restart the daemon; the log says more."),
  );
}
