/** Failures of the panel's own doings as people see them: what to do about each. */

import * as l10n from "@vscode/l10n";

import type { Problem, ProblemCommand } from "../../protocol/setup";
import { RagError, asRagError } from "../common/errors";
import type { Log } from "../common/log";
import { asProblem, problem } from "./problem";

/** A failure with advice; what already has some keeps it. */
export function describe(error: unknown): RagError {
  const { code, message, advice, requestId, details } = asRagError(error);
  return new RagError(code, message, advice || adviceFor(code), requestId, details);
}

/** A failure with advice and buttons. */
export function problemOf(error: unknown): Problem {
  const { code, message, advice } = describe(error);
  const commands = COMMANDS[code];
  return commands ? problem(code, message, advice, ...commands) : asProblem(describe(error));
}

export function logFailure(log: Log, what: string, error: unknown): void {
  const { code, message, requestId } = asRagError(error);
  log.error(`${what}: ${code}: ${message}${requestId ? ` (request ${requestId})` : ""}`);
  if (code === "UNEXPECTED" && error instanceof Error && error.stack) log.error(error.stack);
}

const COMMANDS: Partial<Record<string, ProblemCommand[]>> = {
  UNAUTHORIZED: ["ragAssistant.setServerToken"],
  SETUP_NEEDED: ["ragAssistant.setup"],
  MCP_OFF: ["ragAssistant.useRest", "ragAssistant.showLog"],
  KNOWLEDGE_BASE_NOT_FOUND: ["ragAssistant.openSettings"],
  KNOWLEDGE_BASE_UNAVAILABLE: [],
  PAYLOAD_TOO_LARGE: [],
  UNSUPPORTED_MEDIA_TYPE: [],
  VALIDATION_ERROR: ["ragAssistant.showLog"],
};

function adviceFor(code: string): string {
  switch (code) {
    case "DAEMON_UNREACHABLE":
      return l10n.t("Try again. If that does not help, restart the daemon; the log says more.");
    case "UNAUTHORIZED":
      return l10n.t("Enter the server's token again.");
    case "SETUP_NEEDED":
      return l10n.t("Run the set-up first.");
    case "KNOWLEDGE_BASE_NOT_FOUND":
      return l10n.t("Choose another collection, or correct the setting ragAssistant.collection.");
    case "KNOWLEDGE_BASE_UNAVAILABLE":
      return l10n.t("Enable the collection in the tree of collections, or choose another one.");
    case "SERVICE_UNAVAILABLE":
      return l10n.t("Wait a moment and try again; the log says more.");
    case "VALIDATION_ERROR":
      return l10n.t("Change what the message names, and try again.");
    default:
      return "";
  }
}

/** Why a file was not taken in, in the person's language; then the daemon's own words, which know more of it. */
export function failureWords({ code, message }: { code: string; message: string }): string {
  const reason = failureReason(code) ?? message;
  return reason === message || message === "" ? reason : `${reason} ${message}`;
}

/** Why a file was not taken in, in plain words; undefined where the daemon's own message must do. */
export function failureReason(code: string): string | undefined {
  switch (code) {
    case "DAMAGED":
      return l10n.t("The file is damaged and can't be read.");
    case "TOO_COMPLEX":
      return l10n.t("The file is nested too deeply, or has too many parts. Split it.");
    case "WRONG_TYPE":
      return l10n.t("The file is not what its name says. Give it the extension of its format.");
    case "OLD_FORMAT":
      return l10n.t(
        "The file is in an old Office format. Run `rag extras add legacy-office` to have it read, or save it in the current one.",
      );
    case "UNPACKS_TOO_LARGE":
      return l10n.t("The file would unpack to far more than is read.");
    case "TOO_MANY_PIXELS":
      return l10n.t("The picture has too many pixels. Save it smaller.");
    case "UNKNOWN_ENCODING":
      return l10n.t("The encoding of the text can't be told. Save it as UTF-8, or set ingest.encodings.");
    case "ENCRYPTED":
      return l10n.t("The file is protected by a password. Remove the protection, then add it again.");
    case "EMPTY":
      return l10n.t("There is no text in the file.");
    case "TIMEOUT":
      return l10n.t("Reading the file took too long.");
    case "MEMORY":
      return l10n.t("Reading the file took too much memory.");
    case "UNREADABLE":
      return l10n.t("The file can't be read: check its permissions.");
    case "VANISHED":
      return l10n.t("The file was gone when it was to be read.");
    case "PAYLOAD_TOO_LARGE":
      return l10n.t("The file is larger than the daemon's limit.");
    case "UNSUPPORTED_MEDIA_TYPE":
      return l10n.t("This kind of file is not supported.");
    case "FORBIDDEN_PATH":
      return l10n.t("The daemon may not read this folder.");
    default:
      return undefined;
  }
}
