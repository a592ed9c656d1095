/** The status bar item: the daemon's status, and the commands that act on it. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonState } from "../../core/api/types";
import { textLines } from "../../core/common/safeMarkdown";
import { indexingOf } from "../../core/daemon/indexingProgress";
import { stoppedProblem } from "../../core/daemon/problems";
import type { DaemonService, DaemonStatus } from "../../core/daemon/status";
import type { Lending, LendingState } from "../../core/pictures/lending";
import type { SetupService } from "../../core/setup/setupService";
import type { Problem, SetupProgress } from "../../protocol/setup";

const TOOLTIP_COMMANDS = [
  "ragAssistant.openChat",
  "ragAssistant.openDashboard",
  "ragAssistant.restartDaemon",
  "ragAssistant.showLog",
  "ragAssistant.describePictures",
];

export function createStatusBar(
  daemon: DaemonService,
  setup: SetupService,
  lending: Pick<Lending, "state" | "onDidChange">,
): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("ragAssistant.status", vscode.StatusBarAlignment.Right, 90);
  item.name = l10n.t("RAG Assistant");
  let model = "";
  const show = (): void => {
    if (setup.progress.state === "running") drawSetup(item, setup.progress);
    else
      draw(item, daemon.status, daemon.live, [
        ...(model ? [l10n.t("Model: {0}", model)] : []),
        ...lendingLines(lending.state),
      ]);
  };
  const changed = daemon.onDidChangeStatus((status) => {
    show();
    if (status.kind !== "ready") return;
    status.client.status().then(
      (reported) => {
        model = reported.model.id;
        show();
      },
      () => undefined, // the tooltip goes without the model's name; a lost daemon shows in the status
    );
  });
  const live = daemon.onDidChangeLive(show);
  const steps = setup.onDidChange(show);
  const lent = lending.onDidChange(show);
  show();
  item.show();
  return vscode.Disposable.from(item, changed, live, steps, lent);
}

function draw(
  item: vscode.StatusBarItem,
  status: DaemonStatus,
  live: DaemonState | undefined,
  models: readonly string[],
): void {
  item.backgroundColor = undefined;
  item.accessibilityInformation = undefined;
  switch (status.kind) {
    case "setupNeeded":
      item.text = `$(rocket) ${l10n.t("RAG: set up")}`;
      item.command = "ragAssistant.openChat";
      item.tooltip = l10n.t("RAG Assistant is not set up yet.");
      break;
    case "starting":
      item.text = `$(sync~spin) ${l10n.t("RAG: starting")}`;
      item.command = "ragAssistant.openChat";
      item.tooltip = status.detail || l10n.t("Looking for the daemon");
      break;
    case "ready":
      drawReady(item, status.version, live, models);
      break;
    case "attention":
      drawProblem(item, l10n.t("RAG: needs attention"), status.problem, "ragAssistant.openChat");
      break;
    case "stopped":
      drawProblem(item, l10n.t("RAG: stopped"), stoppedProblem(), "ragAssistant.restartDaemon");
      break;
  }
}

function drawSetup(item: vscode.StatusBarItem, { steps, status }: SetupProgress): void {
  item.backgroundColor = undefined;
  item.text = `$(sync~spin) ${l10n.t("RAG: setting up")}`;
  item.command = "ragAssistant.openChat";
  item.tooltip = status || steps.find(({ state }) => state === "running")?.title;
}

function drawReady(
  item: vscode.StatusBarItem,
  version: string,
  live: DaemonState | undefined,
  models: readonly string[],
): void {
  const indexing = indexingOf(live?.jobs ?? []);
  item.command = "ragAssistant.openChat";
  if (indexing === undefined) item.text = `$(check) ${l10n.t("RAG")}`;
  else if (indexing.pictures !== undefined) {
    const { done, total } = indexing.pictures;
    item.text = `$(sync~spin) ${l10n.t("RAG: describing pictures, {0} of {1}", done, total)}`;
  } else if (indexing.percent === undefined) item.text = `$(sync~spin) ${l10n.t("RAG: indexing")}`;
  else item.text = `$(sync~spin) ${l10n.t("RAG: indexing {0} %", indexing.percent)}`;
  const lines = [l10n.t("RAG Assistant {0} is ready.", version)];
  if (live !== undefined) {
    const { documents, chunks, collections } = live.counts;
    lines.push(l10n.t("{0} documents ({1} passages) in {2} collections", documents, chunks, collections));
    if (live.failed_documents > 0) lines.push(l10n.t("{0} documents could not be read", live.failed_documents));
  }
  lines.push(...models);
  // Why pictures wait, where they do: a budget, or nobody to describe them.
  const put = live?.jobs.find((job) => job.kind === "captions" && job.status === "queued" && job.error !== null)?.error;
  if (put) lines.push(l10n.t("Pictures wait: {0}", put.message));
  item.tooltip = tooltip(lines);
  item.accessibilityInformation = { label: spoken(item.text, lines) };
}

function lendingLines(state: LendingState): string[] {
  switch (state.kind) {
    case "off":
      return [];
    case "lent":
      return [l10n.t("{0} describes pictures ({1} since this window opened)", state.model, state.described)];
    case "paused":
      return [l10n.t("{0} describes no pictures now: {1}", state.model, state.reason)];
  }
}

function drawProblem(item: vscode.StatusBarItem, text: string, problem: Problem, command: string): void {
  item.text = `$(warning) ${text}`;
  item.command = command;
  item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  item.accessibilityInformation = { label: spoken(item.text, [problem.message, problem.advice]) };
  item.tooltip = tooltip([problem.message, problem.advice]);
}

/** What a screen reader says; without it, it would read the Markdown of the tooltip aloud. */
function spoken(text: string, lines: readonly string[]): string {
  return [text.replace(/\$\([^)]*\)\s*/g, ""), ...lines].filter((line) => line !== "").join(", ");
}

/** The lines are text, whatever is in them; the only links are to our own commands. */
function tooltip(lines: readonly string[]): vscode.MarkdownString {
  const shown = new vscode.MarkdownString(`${textLines(lines)}\n\n`);
  shown.isTrusted = { enabledCommands: TOOLTIP_COMMANDS };
  const links = [
    [l10n.t("Open Chat"), "ragAssistant.openChat"],
    [l10n.t("Dashboard"), "ragAssistant.openDashboard"],
    [l10n.t("Restart"), "ragAssistant.restartDaemon"],
    [l10n.t("Show Log"), "ragAssistant.showLog"],
  ].map(([label = "", command = ""]) => `[${label}](command:${command})`);
  return shown.appendMarkdown(links.join(" · "));
}
