/** This window's presence at a daemon: an open event stream, which also reports what the daemon does. */

import type { DaemonState } from "../api/types";
import { pause } from "../common/delay";
import { RagError } from "../common/errors";
import { ProblemError } from "../problems/problem";
import type { Connected } from "./connectContext";
import { incompatible, tokenRefused, unanswering, unreachable } from "./problems";
import { isUnprotected } from "./serverSpec";

/** When it is asked whether it still answers, in ms: that it does not is told within 15 s. */
export const CHECKS = { every: 3_000, limit: 5_000, again: 500 };
const MOST_FAILED_CHECKS = 2;

/**
 * Returns when the daemon is gone; throws `ProblemError` when it does not answer though it is there, or will not have us, or the
 * signal's reason.
 */
export async function keepPresence(
  { client, version, pid }: Connected,
  isLocal: boolean,
  signal: AbortSignal,
  onState: (state: DaemonState) => void,
  checks = CHECKS,
): Promise<void> {
  const leave = new AbortController();
  const silent = new AbortController();
  const either = AbortSignal.any([signal, leave.signal, silent.signal]);
  const watching = watchHealth(
    () => client.health(AbortSignal.any([either, AbortSignal.timeout(checks.limit)])),
    either,
    checks,
    () => silent.abort(),
  );
  try {
    for await (const state of client.events(either)) onState(state);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RagError && error.code === "UNAUTHORIZED") {
      const { url, token } = client.connection;
      throw new ProblemError(tokenRefused(url, token !== "", isUnprotected(url)));
    }
    // It answers, but knows no such stream.
    if (error instanceof RagError && ["NOT_FOUND", "METHOD_NOT_ALLOWED"].includes(error.code)) {
      throw new ProblemError(incompatible(version, isLocal && pid !== undefined));
    }
    // Whatever else ends the stream, the caller looks for the daemon again.
  } finally {
    leave.abort();
    await watching;
  }
  signal.throwIfAborted();
  if (silent.signal.aborted) {
    const problem = isLocal && pid !== undefined ? unanswering(pid) : unreachable(client.connection.url, "");
    throw new ProblemError(problem, true);
  }
}

/** A daemon that hangs keeps its connections open; only a question shows it. */
async function watchHealth(
  check: () => Promise<unknown>,
  signal: AbortSignal,
  { every, again }: typeof CHECKS,
  onLost: () => void,
): Promise<void> {
  let failed = 0;
  while (await isOver(failed > 0 ? again : every, signal)) {
    failed = (await check().then(
      () => true,
      () => false,
    ))
      ? 0
      : failed + 1;
    if (failed >= MOST_FAILED_CHECKS) onLost();
  }
}

/** Whether the time passed before the signal came. */
function isOver(ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(ms, signal).then(
    () => true,
    () => false,
  );
}
