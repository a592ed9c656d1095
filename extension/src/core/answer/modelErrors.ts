/** What language models of the editor throw, as errors that say what kind of failure it was. */

import { cancelled } from "../common/cancellation";
import { RagError, isCancelled } from "../common/errors";

// The editor has one code for "blocked" and providers have none at all: how they word it is the only sign.
const QUOTA =
  /quota|rate.?limit|too many requests|\b429\b|usage limit|premium requests|limit (?:was |has been )?(?:reached|exceeded)/i;
const REFUSAL = /content.?filter|filtered|responsible ai|refus|declin|not allowed|off.?topic|policy/i;
const MISSING = /model (?:is )?not (?:found|available|supported)|unknown model|language model unavailable/i;

/** Returns `RagError` MODEL_REFUSED, MODEL_MISSING, MODEL_QUOTA or MODEL_FAILED; an error that was called off stays one. */
export function asModelError(error: unknown): Error {
  if (error instanceof RagError) return error;
  if (isCancelled(error) || (error instanceof Error && error.name === "CancellationError")) return cancelled();
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  return new RagError(kind(code, `${message} ${cause}`), message || cause || code);
}

function kind(code: string, message: string): string {
  if (QUOTA.test(`${code} ${message}`)) return "MODEL_QUOTA";
  if (code === "NotFound" || MISSING.test(message)) return "MODEL_MISSING";
  if (code === "Blocked" || code === "NoPermissions" || REFUSAL.test(message)) return "MODEL_REFUSED";
  return "MODEL_FAILED";
}
