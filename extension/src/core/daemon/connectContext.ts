/** What connecting to a daemon needs, reports on its way, and gives. */

import type { DaemonClient } from "../client/daemonClient";
import type { SourceTokens } from "../client/sourceTokens";
import type { Log } from "../common/log";
import type { Machine } from "./directories";
import type { ServerSpec } from "./serverSpec";

export interface Connected {
  client: DaemonClient;
  version: string;
  /** Of a daemon of this machine. */
  pid?: number;
}

export interface ConnectContext {
  machine: Machine;
  /** What a started daemon prints goes here. */
  logFile: string;
  log: Log;
  /** A file that the windows of this user share. */
  claimFile: string;
  /** Of the daemon that comes with the extension. */
  bundledVersion: string;
  /** What questions bring for cloud sources; left out: nothing. */
  sourceTokens?: SourceTokens;
  /** Milliseconds; shorter in tests. */
  patience?: number;
}

export interface ConnectReports {
  /** What is being waited for, in a line. */
  starting(detail: string): void;
  /** The daemon that was found does not answer yet. */
  silent(detail: string): void;
  started(pid: number): void;
  /** An older daemon was stopped, for one of this version. */
  replaced(version: string): void;
}

export type UsableServer = Exclude<ServerSpec, { kind: "setupNeeded" }>;
