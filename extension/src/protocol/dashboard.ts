/** Every message between the dashboard and the extension, both ways: `{type, …}` with these payloads. */

import type { Collection, Job, Status, TraceRow } from "../core/api/types";
import type { Envelope } from "./envelope";

type Nothing = object;

/** What the daemon reported; `address` is without its token. */
export interface DashboardState {
  address: string;
  status: Status;
  collections: Collection[];
  /** The newest first. */
  jobs: Job[];
  traces: TraceRow[];
  /** Stages that a question had to do without, by the trace's id. */
  degraded: Record<string, string[]>;
}

export interface DashboardToExtension {
  ready: Nothing;
  refresh: Nothing;
  /** The daemon's own dashboard, which has more. */
  "browser.open": Nothing;
  "job.cancel": { jobId: string };
  "webview.error": { message: string; stack: string };
}

export interface DashboardToWebview {
  init: { text: Record<string, string>; language: string };
  state: { state: DashboardState };
  /** Jobs that are not done, as they stand this moment. */
  jobs: { jobs: Job[] };
  /** The daemon is not there, and why. */
  failed: { message: string; advice: string };
}

export type DashboardMessageToExtension = Envelope<DashboardToExtension>;
export type DashboardMessageToWebview = Envelope<DashboardToWebview>;
