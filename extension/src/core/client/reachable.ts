/** A daemon that may be on its way up: who gives a client for it, and waiting until it answers. */

import { pause } from "../common/delay";
import { RagError, asRagError } from "../common/errors";
import type { DaemonClient } from "./daemonClient";

export interface ClientProvider {
  /** The running daemon, started when it is not. Throws `RagError` (SETUP_NEEDED and others) when there can be none. */
  client(): Promise<DaemonClient>;
}

export const PATIENCE_MS = 20_000;
const RETRY_MS = 500;

/** A client whose daemon answers, within `patience` ms; it may be on its way up. Throws what it failed with last. */
export async function reachable(
  daemon: ClientProvider,
  signal: AbortSignal,
  patience = PATIENCE_MS,
): Promise<DaemonClient> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      const client = await daemon.client();
      await client.status(signal);
      return client;
    } catch (error) {
      if (!isUnreachable(error) || performance.now() >= end) throw error;
      await pause(RETRY_MS, signal);
    }
  }
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof RagError && error.code === "DAEMON_UNREACHABLE";
}

/** A connection that broke off while something was streamed over it says so in its own words. */
export function brokenOff(error: unknown): RagError {
  return asRagError(error, "DAEMON_UNREACHABLE");
}
