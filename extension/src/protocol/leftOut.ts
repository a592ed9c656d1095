/** What became of passages from Confluence and Jira that were found: those left out are counted, never named. */

import * as l10n from "@vscode/l10n";

import type { LiveCounts } from "../core/api/types";

export interface LeftOut {
  text: string;
  /** A token of the person's own would help. */
  needsToken: boolean;
}

/** Undefined when nothing was left out. */
export function leftOut(live: LiveCounts | null | undefined): LeftOut | undefined {
  if (!live) return undefined;
  const { no_token, forbidden, gone, unverified } = live;
  const total = no_token + forbidden + gone + unverified;
  if (total === 0) return undefined;
  const reasons = [
    no_token > 0 && l10n.t("{0} need your token", no_token),
    forbidden > 0 && l10n.t("{0} you may not read", forbidden),
    gone > 0 && l10n.t("{0} are gone", gone),
    unverified > 0 && l10n.t("{0} could not be checked in time", unverified),
  ].filter((reason) => reason !== false);
  const counted =
    total === 1
      ? l10n.t("1 passage from Confluence or Jira was left out: {0}.", reasons.join(l10n.t(", ")))
      : l10n.t("{0} passages from Confluence or Jira were left out: {1}.", total, reasons.join(l10n.t(", ")));
  return { text: counted, needsToken: no_token > 0 };
}

// The daemon says the same, in English. What it alone says (a token that was refused, a source that is not known) stays.
const SAID_ALREADY = /^\d+ passages? (?:was|were) left out: (?!.*(?:refused|nobody can say))/;

/** Notices without those that `leftOut` says in the person's language. */
export function withoutRepeats(notices: readonly string[], live: LiveCounts | null | undefined): string[] {
  return leftOut(live) === undefined ? [...notices] : notices.filter((notice) => !SAID_ALREADY.test(notice));
}
