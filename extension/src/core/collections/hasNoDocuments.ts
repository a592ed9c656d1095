/** Whether there is anything to answer from at all. */

import { isUnreachable } from "../client/reachable";
import type { DaemonService } from "../daemon/status";

/** What the daemon reported last may be a moment old: that nothing is there is asked again. Throws `RagError`. */
export async function hasNoDocuments(
  daemon: Pick<DaemonService, "client" | "live">,
  signal: AbortSignal,
): Promise<boolean> {
  if (daemon.live?.counts.documents !== 0) return false;
  try {
    return (await (await daemon.client()).status(signal)).counts.documents === 0;
  } catch (error) {
    // The question itself waits for it.
    if (isUnreachable(error)) return false;
    throw error;
  }
}
