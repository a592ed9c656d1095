/** Shows people that something they asked for failed. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { isCancelled } from "../../core/common/errors";
import { describe, logFailure } from "../../core/problems/failures";

/** Buttons for failures that a command of ours mends. */
const REMEDIES: Record<string, { label: () => string; command: string }> = {
  SETUP_NEEDED: { label: () => l10n.t("Set Up"), command: "ragAssistant.setup" },
  DAEMON_UNREACHABLE: { label: () => l10n.t("Restart Daemon"), command: "ragAssistant.restartDaemon" },
  MCP_OFF: { label: () => l10n.t("Use REST"), command: "ragAssistant.useRest" },
  UNAUTHORIZED: { label: () => l10n.t("Enter Token"), command: "ragAssistant.setServerToken" },
};

/** Shows and logs a failure; one that only says that somebody called it off is no failure. */
export function showFailure(error: unknown, log: vscode.LogOutputChannel): void {
  if (isCancelled(error)) return;
  logFailure(log, "A command failed", error);
  const { code, message, advice } = describe(error);
  const remedy = REMEDIES[code];
  const showLog = l10n.t("Show Log");
  const buttons = [...(remedy ? [remedy.label()] : []), showLog];
  void vscode.window
    .showErrorMessage([message, advice].filter((part) => part !== "").join(" "), ...buttons)
    .then((chosen) => {
      if (chosen === showLog) log.show();
      else if (remedy && chosen === remedy.label()) void vscode.commands.executeCommand(remedy.command);
    });
}
