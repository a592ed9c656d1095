/** What a window knows of its daemon. */

import type { Problem } from "../../protocol/setup";
import type { DaemonState } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import type { ClientProvider } from "../client/reachable";
import type { Event } from "../common/events";

export type DaemonStatus =
  /** Nothing is installed and no server is configured; `updated`: it was set up, but for another version of the extension. */
  | { kind: "setupNeeded"; reason: "new" | "updated" }
  | { kind: "starting"; detail: string }
  | { kind: "ready"; client: DaemonClient; version: string }
  | { kind: "attention"; problem: Problem }
  | { kind: "stopped" };

/** What the user is notified of once, as it happens. */
export type Notice =
  { kind: "recovered" } | { kind: "replaced"; version: string } | { kind: "gaveUp"; problem: Problem };

/** The daemon as the other features see it. */
export interface DaemonService extends ClientProvider {
  readonly status: DaemonStatus;
  readonly onDidChangeStatus: Event<DaemonStatus>;
  /** What the running daemon last reported. */
  readonly live: DaemonState | undefined;
  readonly onDidChangeLive: Event<DaemonState>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}
