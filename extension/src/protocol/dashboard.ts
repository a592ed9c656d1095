/** Every message between the dashboard and the extension, both ways: `{type, …}` with these payloads. */

import type { Envelope } from "./envelope";

type Nothing = object;

/** What the dashboard asks of the daemon. The extension sends it on with its token, which the webview never learns. */
export interface DashboardRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Address and parameters, below `/api/`. */
  path: string;
  body?: unknown;
  as: "json" | "bytes" | "events";
}

export interface DashboardToExtension {
  ready: Nothing;
  request: DashboardRequest & { id: number };
  /** Nobody waits for the answer any more. */
  "request.cancel": { id: number };
  "browser.open": Nothing;
  "webview.error": { message: string; stack: string };
}

export interface DashboardToWebview {
  /** `address` is the page that is shown first; empty for the one that was shown last. */
  init: { language: string; address: string };
  show: { address: string };
  /** The whole answer, or the end of the events. */
  answer: { id: number; body: unknown };
  event: { id: number; event: string; data: unknown };
  failed: { id: number; code: string; message: string };
  /** Another daemon, or none; or other tokens: what is shown has to be asked for again. */
  changed: Nothing;
}

export type DashboardMessageToExtension = Envelope<DashboardToExtension>;
export type DashboardMessageToWebview = Envelope<DashboardToWebview>;
