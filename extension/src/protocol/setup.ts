/** What the first-run set-up shows, and how failures look. */

/** What a button beside a problem may do. */
export type ProblemCommand =
  | "ragAssistant.setup"
  | "ragAssistant.showLog"
  | "ragAssistant.restartDaemon"
  | "ragAssistant.setServerToken"
  | "ragAssistant.setSourceToken"
  | "ragAssistant.addModel"
  | "ragAssistant.useRest"
  | "ragAssistant.openSettings";

/** A failure as people see it: what failed and why, what to do, and buttons that do it. */
export interface Problem {
  code: string;
  message: string;
  advice: string;
  actions: { label: string; command: ProblemCommand }[];
}

export type SetupStep = "python" | "environment" | "packages" | "model" | "daemon";

export interface SetupProgress {
  /** idle: not begun. cancelled: by the user; starting again goes on where it was. */
  state: "idle" | "running" | "failed" | "cancelled";
  /** All steps in order. `note` says what was found or done, such as the Python's version. */
  steps: { id: SetupStep; title: string; state: "waiting" | "running" | "done" | "failed"; note: string }[];
  /** What is happening right now, in a line. */
  status: string;
  /** Of the running step; 0..1, or null when it can't be told. */
  fraction: number | null;
  problem?: Problem;
}
