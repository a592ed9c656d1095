/** Failures that are shown to people. */

/** What is wrong with one field of a request, as the daemon names it (`config.base_url`). */
export interface FieldProblem {
  field: string;
  message: string;
}

/** Something failed. `message` says what and why, `advice` what to do about it. */
export class RagError extends Error {
  /**
   * @param code The daemon's code, or one of ours: `DAEMON_UNREACHABLE`, `SETUP_NEEDED`, `CANCELLED`, …
   * @param requestId Finds the request in the daemon's log.
   */
  constructor(
    readonly code: string,
    message: string,
    readonly advice = "",
    readonly requestId = "",
    readonly details: readonly FieldProblem[] = [],
  ) {
    super(message);
    this.name = "RagError";
  }
}

/** Whether a failure only says that somebody asked to stop. */
export function isCancelled(error: unknown): boolean {
  return (
    (error instanceof Error && (error.name === "AbortError" || error.name === "Canceled")) ||
    (error instanceof RagError && error.code === "CANCELLED")
  );
}

/** Any thrown value as something that can be shown. */
export function asRagError(error: unknown, code = "UNEXPECTED"): RagError {
  if (error instanceof RagError) return error;
  return new RagError(code, error instanceof Error ? error.message : String(error));
}
