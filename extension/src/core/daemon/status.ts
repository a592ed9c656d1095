/** What a window knows of its daemon, and what it needs for that. */

import type { Problem } from "../../protocol/setup";
import type { DaemonClient } from "../client/daemonClient";
import type { ServerSpec } from "./serverSpec";
import type { Surroundings } from "./connect";
import type { StopMark } from "./stopMark";

/** Where the daemon stands. */
export type Standing =
  | { kind: "setupNeeded"; reason: "new" | "updated" }
  | { kind: "starting"; detail: string }
  | { kind: "ready"; client: DaemonClient; version: string }
  | { kind: "attention"; problem: Problem }
  | { kind: "stopped" };

/** What the user is told once, as it happens. */
export type Notice =
  { kind: "recovered" } | { kind: "replaced"; version: string } | { kind: "gaveUp"; problem: Problem };

export interface SupervisorOptions extends Surroundings {
  /** The server to use now. Throws `RagError` for settings that are wrong. */
  resolve(): Promise<ServerSpec>;
  stopMark: StopMark;
  /** Milliseconds before a further try; shorter in tests. */
  delayAfter?: (failures: number) => number;
}
