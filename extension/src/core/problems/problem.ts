/** Failures as people see them: what failed, what to do, and buttons that do it. */

import * as l10n from "@vscode/l10n";

import type { Problem, ProblemCommand } from "../../protocol/setup";
import { RagError, asRagError } from "../common/errors";

/** A failure that comes with its own buttons. `retry`: it may mend itself, so it is tried again quietly. */
export class ProblemError extends RagError {
  constructor(
    readonly problem: Problem,
    readonly retry = false,
  ) {
    super(problem.code, problem.message, problem.advice);
    this.name = "ProblemError";
  }
}

export function action(command: ProblemCommand): Problem["actions"][number] {
  switch (command) {
    case "ragAssistant.setup":
      return { command, label: l10n.t("Set Up") };
    case "ragAssistant.showLog":
      return { command, label: l10n.t("Show Log") };
    case "ragAssistant.restartDaemon":
      return { command, label: l10n.t("Restart") };
    case "ragAssistant.setSourceToken":
      return { command, label: l10n.t("Set Source Token…") };
    case "ragAssistant.addModel":
      return { command, label: l10n.t("Add a Model…") };
    case "ragAssistant.useRest":
      return { command, label: l10n.t("Use REST") };
    case "ragAssistant.setServerToken":
      return { command, label: l10n.t("Enter Token") };
    case "ragAssistant.openSettings":
      return { command, label: l10n.t("Open Settings") };
  }
}

export function problem(code: string, message: string, advice: string, ...commands: ProblemCommand[]): Problem {
  return { code, message, advice, actions: commands.map(action) };
}

/** Any failure as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const { code, message, advice } = asRagError(error);
  if (code === "SETTING_INVALID") return problem(code, message, advice, "ragAssistant.openSettings");
  return problem(
    code,
    message,
    advice || l10n.t("The log says more."),
    "ragAssistant.restartDaemon",
    "ragAssistant.showLog",
  );
}
