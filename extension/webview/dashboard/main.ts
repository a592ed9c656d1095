/** The daemon's dashboard inside the editor: the same pages as in a browser, which ask the daemon through the extension. */

import { start } from "dashboard-app/dashboard.js";
import { ApiError, useTransport, type Request, type Transport } from "dashboard-app/lib/api.js";
import { h } from "dashboard-app/lib/dom.js";
import { nearestLanguage, t, useLanguage } from "dashboard-app/lib/text.js";

import type { DashboardMessageToWebview, DashboardToExtension } from "../../src/protocol/dashboard";
import { Host } from "../shared/host";

interface Waiting {
  answered: (body: unknown) => void;
  failed: (error: unknown) => void;
  event?: (name: string, data: unknown) => void;
}

const host = new Host<DashboardToExtension, DashboardMessageToWebview, { address: string }>();
const waiting = new Map<number, Waiting>();
let last = 0;

const TEXTS: Record<string, () => Promise<{ default: Record<string, string> }>> = {
  ja: () => import("dashboard-app/l10n/ja.json"),
  "zh-cn": () => import("dashboard-app/l10n/zh-cn.json"),
};

const transport: Transport = {
  send: ({ as = "json", ...request }, signal) => ask({ ...request, as }, signal),
  watch: async (path, on, signal) => {
    await ask({ method: "GET", path, as: "events" }, signal, on);
  },
};

window.addEventListener("error", ({ message, error }: ErrorEvent) => report(message, error));
window.addEventListener("unhandledrejection", ({ reason }) => report(String(reason), reason));
window.addEventListener("hashchange", () => host.saveState({ address: location.hash }));
// The editor takes a link for one to elsewhere, and would not follow it.
window.addEventListener("click", follow, true);
host.onMessage(receive);
host.send("ready", {});

function receive(message: DashboardMessageToWebview): void {
  switch (message.type) {
    case "init":
      void begin(message.language, message.address || (host.savedState()?.address ?? ""));
      return;
    case "show":
      location.hash = message.address;
      return;
    case "changed":
      window.dispatchEvent(new HashChangeEvent("hashchange"));
      return;
    case "event":
      waiting.get(message.id)?.event?.(message.event, message.data);
      return;
    case "answer":
      done(message.id)?.answered(message.body);
      return;
    case "failed":
      done(message.id)?.failed(new ApiError(message.code, message.message));
  }
}

async function begin(language: string, address: string): Promise<void> {
  const nearest = nearestLanguage([language]);
  useLanguage(nearest, (await TEXTS[nearest]?.())?.default ?? {});
  useTransport(transport);
  if (address !== "") history.replaceState(null, "", address);
  start(document.body, () => h("button", { onclick: () => host.send("browser.open", {}) }, t("Open in a browser")));
}

function ask(
  request: Omit<Request, "as"> & { as: "json" | "bytes" | "events" },
  signal?: AbortSignal,
  event?: Waiting["event"],
): Promise<unknown> {
  return new Promise((answered, failed) => {
    last += 1;
    const id = last;
    waiting.set(id, { answered, failed, ...(event ? { event } : {}) });
    host.send("request", { id, ...request });
    signal?.addEventListener("abort", () => {
      if (!done(id)) return;
      host.send("request.cancel", { id });
      failed(new DOMException("The page was left.", "AbortError"));
    });
  });
}

function done(id: number): Waiting | undefined {
  const found = waiting.get(id);
  waiting.delete(id);
  return found;
}

function follow(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#/']") : null;
  if (!link) return;
  event.preventDefault();
  event.stopPropagation();
  location.hash = link.getAttribute("href") ?? "";
}

function report(message: string, error: unknown): void {
  host.send("webview.error", { message, stack: error instanceof Error ? (error.stack ?? "") : "" });
}
