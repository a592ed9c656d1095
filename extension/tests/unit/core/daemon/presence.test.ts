import { describe, expect, it, vi } from "vitest";

import type { DaemonClient } from "../../../../src/core/client/daemonClient";
import { CHECKS as DAEMON_CHECKS, keepPresence } from "../../../../src/core/daemon/presence";

const CHECKS = { every: 5, limit: 30, again: 1 };

/** A daemon whose stream of events stays open, as that of a process does which hangs. */
function daemon(health: (signal: AbortSignal) => Promise<unknown>) {
  const client: Partial<DaemonClient> = {
    health,
    async *events(signal: AbortSignal) {
      await aborted(signal);
    },
  };
  return { client: client as DaemonClient, version: "0.1.0", pid: 1 };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}

describe("presence at a daemon", () => {
  it("ends when the daemon hangs, though its connections stay open", async () => {
    const health = vi.fn(aborted);
    const kept = keepPresence(daemon(health), true, new AbortController().signal, vi.fn(), CHECKS);
    await expect(kept).rejects.toThrow("The daemon (process 1) runs but does not answer.");
    expect(health).toHaveBeenCalledTimes(2);
  });

  it("is told to be lost within 15 seconds", () => {
    const { every, limit, again } = DAEMON_CHECKS;
    expect(every + limit + again + limit).toBeLessThan(15_000);
  });

  it("outlasts a single answer that does not come", async () => {
    const stop = new AbortController();
    let asked = 0;
    const health = (signal: AbortSignal) => {
      asked += 1;
      if (asked === 6) stop.abort(new Error("closed"));
      return asked % 2 === 0 ? aborted(signal) : Promise.resolve({});
    };
    await expect(keepPresence(daemon(health), true, stop.signal, vi.fn(), CHECKS)).rejects.toThrow("closed");
    expect(asked).toBe(6);
  });
});
