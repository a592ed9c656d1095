/** What can be wrong with a daemon, as people see it. */

import * as l10n from "@vscode/l10n";

import type { Problem } from "../../protocol/setup";
import { problem } from "../problems/problem";

/** How webviews that know no state of their own for it show a daemon that the user has stopped. */
export function stoppedProblem(): Problem {
  const start = { command: "ragAssistant.restartDaemon" as const, label: l10n.t("Start") };
  return {
    code: "STOPPED",
    message: l10n.t("The daemon is stopped."),
    advice: l10n.t("It starts again when it is needed."),
    actions: [start],
  };
}

/** Why `rag serve` could not start; its exit codes are fixed by the daemon. `output`: the end of what it printed. */
export function startProblem(code: number | null, signal: string | null, output: string): Problem {
  const because = output.trim();
  if (code === 2 && /no such option/i.test(because)) {
    return problem(
      "SERVER_TOO_OLD",
      l10n.t("The program named in the setting ragAssistant.server.executable is too old for this extension."),
      l10n.t("Install a newer RAG Assistant there, or clear the setting."),
      "ragAssistant.openSettings",
      "ragAssistant.showLog",
    );
  }
  switch (code ?? 0) {
    case 2:
      return problem(
        "SETTINGS_INVALID",
        l10n.t("The daemon's settings are wrong: {0}", because),
        l10n.t(
          "Correct what the message names, in the daemon's settings file or in the environment, then restart the daemon.",
        ),
        "ragAssistant.restartDaemon",
        "ragAssistant.showLog",
      );
    case 3:
      return problem(
        "MODEL_MISSING",
        l10n.t("The embedding model is not there: {0}", because),
        l10n.t("Run the set-up: it fetches the model."),
        "ragAssistant.setup",
        "ragAssistant.showLog",
      );
    case 5:
      return problem(
        "PORT_TAKEN",
        l10n.t("The daemon got no port: {0}", because),
        l10n.t("Restart the daemon. If that does not help, another program may block local connections."),
        "ragAssistant.restartDaemon",
        "ragAssistant.showLog",
      );
    default: {
      const how = signal === null ? l10n.t("exit code {0}", code ?? 0) : l10n.t("signal {0}", signal);
      const message = because
        ? l10n.t("The daemon ended with {0}: {1}", how, because)
        : l10n.t("The daemon ended with {0}.", how);
      return problem(
        "DAEMON_CRASHED",
        message,
        l10n.t("The log says more."),
        "ragAssistant.restartDaemon",
        "ragAssistant.showLog",
      );
    }
  }
}

export function cannotRun(command: string, error: NodeJS.ErrnoException): Problem {
  return problem(
    "EXECUTABLE_FAILED",
    l10n.t(
      "The program {0} can't be run: {1}",
      command,
      error.code === "ENOENT" ? l10n.t("it is not there, or what it needs is not.") : error.message,
    ),
    l10n.t("Run the set-up again, or correct the setting ragAssistant.server.executable."),
    "ragAssistant.setup",
    "ragAssistant.openSettings",
    "ragAssistant.showLog",
  );
}

export function unanswering(pid: number): Problem {
  return problem(
    "DAEMON_UNREACHABLE",
    l10n.t("The daemon (process {0}) runs but does not answer.", pid),
    l10n.t("Restart it. If that does not help, the log says more."),
    "ragAssistant.restartDaemon",
    "ragAssistant.showLog",
  );
}

export function stuck(pid: number): Problem {
  return problem(
    "DAEMON_STUCK",
    l10n.t("The daemon (process {0}) was told to stop but goes on.", pid),
    l10n.t("End this process, then restart the daemon."),
    "ragAssistant.restartDaemon",
    "ragAssistant.showLog",
  );
}

export function unreachable(url: string, why: string): Problem {
  return problem(
    "SERVER_UNREACHABLE",
    l10n.t("The server at {0} does not answer. {1}", url, why).trim(),
    l10n.t("Check that it runs, and the setting ragAssistant.server.url. It is tried again by itself."),
    "ragAssistant.openSettings",
    "ragAssistant.showLog",
  );
}

export function tokenRefused(url: string, hasToken: boolean, isUnprotected: boolean): Problem {
  const advice = l10n.t("Enter its token. It is kept in the editor's secret storage.");
  return problem(
    "UNAUTHORIZED",
    hasToken ? l10n.t("The server at {0} refuses the token.", url) : l10n.t("The server at {0} wants a token.", url),
    isUnprotected
      ? `${advice} ${l10n.t("The address is not encrypted: anyone on the way could read the token.")}`
      : advice,
    "ragAssistant.setServerToken",
    "ragAssistant.openSettings",
  );
}

export function incompatible(version: string, isLocal: boolean): Problem {
  return problem(
    "SERVER_INCOMPATIBLE",
    l10n.t("RAG Assistant {0} answers, which lacks what this extension needs.", version),
    isLocal
      ? l10n.t("Restart the daemon. If that does not help, update it or this extension.")
      : l10n.t("Update the server or this extension, so that both are of the same version."),
    ...(isLocal ? (["ragAssistant.restartDaemon"] as const) : []),
    "ragAssistant.showLog",
  );
}

/** The setting asks for MCP, which this daemon does not serve. `forbidden`: why no setting could switch it on, in its words. */
export function mcpMissing(isLocal: boolean, forbidden: string | undefined): Problem {
  if (forbidden !== undefined) {
    return problem(
      "MCP_FORBIDDEN",
      l10n.t("The setting ragAssistant.transport is mcp, but MCP is forbidden here. The daemon says: {0}", forbidden),
      l10n.t("Use REST, which the policy leaves alone."),
      "ragAssistant.useRest",
      "ragAssistant.showLog",
    );
  }
  return problem(
    "MCP_OFF",
    l10n.t("The setting ragAssistant.transport is mcp, but MCP is off in the daemon that runs."),
    isLocal
      ? l10n.t("Restart the daemon, which then starts with MCP, or use REST.")
      : l10n.t("Set mcp.enabled in the settings of that server, or use REST."),
    ...(isLocal ? (["ragAssistant.restartDaemon"] as const) : []),
    "ragAssistant.useRest",
  );
}

export function tooManyCrashes(last: Problem): Problem {
  return {
    ...last,
    message: l10n.t("The daemon ended again and again, so it is not started any more. {0}", last.message),
  };
}
