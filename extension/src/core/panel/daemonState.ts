/** The daemon's status as the webview shows it. */

import * as l10n from "@vscode/l10n";

import type { PanelDaemonState } from "../../protocol/chat";
import type { SetupProgress } from "../../protocol/setup";
import { stoppedProblem } from "../daemon/problems";
import type { DaemonStatus } from "../daemon/status";

/** `documents`: how many there are; undefined while the daemon has not reported it. */
export function panelDaemonState(
  status: DaemonStatus,
  setup: SetupProgress,
  documents: number | undefined,
): PanelDaemonState {
  switch (status.kind) {
    case "setupNeeded":
      return { kind: "setup", setup };
    case "starting":
      return setup.state === "running" ? { kind: "setup", setup } : { kind: "starting", detail: status.detail };
    case "attention":
      return setup.state === "running" ? { kind: "setup", setup } : { kind: "attention", problem: status.problem };
    case "stopped":
      return { kind: "attention", problem: stoppedProblem() };
    case "ready":
      if (documents === undefined) return { kind: "starting", detail: l10n.t("Looking at what has been indexed…") };
      return { kind: "ready", documents };
  }
}
