/** The dashboard's view. What changes is drawn anew; where the keyboard was, it stays. */

import * as l10n from "@vscode/l10n";

import type { Job } from "../../src/core/api/types";
import type { DashboardMessageToWebview, DashboardState, DashboardToExtension } from "../../src/protocol/dashboard";
import { h } from "../shared/dom";
import { Host } from "../shared/host";
import { useTranslations } from "../shared/l10n";
import { collectionsSection, daemonSection, jobsSection, runningSection, tracesSection } from "./sections";

const host = new Host<DashboardToExtension, DashboardMessageToWebview, never>();
const main = h("main", {});
const running = h("div", {});
let state: DashboardState | undefined;

document.body.append(main);
window.addEventListener("error", ({ message, error }: ErrorEvent) => {
  host.send("webview.error", { message, stack: error instanceof Error ? (error.stack ?? "") : "" });
});
host.onMessage(receive);
host.send("ready", {});

function receive(message: DashboardMessageToWebview): void {
  switch (message.type) {
    case "init":
      document.documentElement.lang = message.language;
      useTranslations(message.text);
      return;
    case "state":
      state = message.state;
      keepingFocus(() => drawAll(message.state));
      return;
    case "jobs":
      if (state) keepingFocus(() => drawRunning(message.jobs));
      return;
    case "failed":
      state = undefined;
      main.replaceChildren(
        heading(),
        h(
          "div",
          { class: "failure", role: "alert" },
          h("p", {}, message.message),
          message.advice !== "" && h("p", {}, message.advice),
        ),
      );
      return;
  }
}

function heading(): HTMLElement {
  const refresh = h("button", { "data-key": "refresh", onclick: () => host.send("refresh", {}) }, l10n.t("Refresh"));
  const browser = h(
    "button",
    { "data-key": "browser", onclick: () => host.send("browser.open", {}) },
    l10n.t("Open in Browser"),
  );
  return h("header", {}, h("h1", {}, l10n.t("RAG Dashboard")), h("span", {}, browser, " ", refresh));
}

function drawAll(shown: DashboardState): void {
  drawRunning(shown.jobs.filter(({ status }) => status === "running" || status === "queued"));
  main.replaceChildren(
    heading(),
    daemonSection(shown),
    running,
    collectionsSection(shown.collections),
    jobsSection(shown.jobs),
    tracesSection(shown.traces, shown.degraded),
  );
}

function drawRunning(jobs: readonly Job[]): void {
  running.replaceChildren(runningSection(jobs, (jobId) => host.send("job.cancel", { jobId })));
}

function keepingFocus(draw: () => void): void {
  const key = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["key"] : undefined;
  const { scrollTop } = document.documentElement;
  draw();
  document.documentElement.scrollTop = scrollTop;
  if (key !== undefined)
    document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}
