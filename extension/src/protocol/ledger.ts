/** The words of a source's ledger. */

import * as l10n from "@vscode/l10n";

import type { LedgerCycle, SkippedItem } from "../core/api/types";

/** "310 there = 300 indexed + 10 left out, 3 held back". */
export function cycleCounts({ remote, indexed, skipped_count, held }: LedgerCycle): string {
  const counts = l10n.t("{0} there = {1} indexed + {2} left out", remote, indexed, skipped_count);
  return held > 0 ? l10n.t("{0}, {1} held back", counts, held) : counts;
}

/** Its title, where the person may read it; else its id. */
export function itemName({ id, title }: Pick<SkippedItem, "id" | "title">): string {
  return title === null || title === "" ? id : title;
}

export function reasonText(reason: string | null): string {
  switch (reason) {
    case "too_large":
      return l10n.t("too large");
    case "unsupported":
      return l10n.t("kind of file not supported");
    case "forbidden":
      return l10n.t("not open to the token for reading");
    case "gone":
      return l10n.t("gone while it was read");
    case "parse_error":
      return l10n.t("could not be understood");
    case "empty":
      return l10n.t("empty");
    case "filtered":
      return l10n.t("left out by a rule of the source");
    case "failed":
      return l10n.t("the site did not give it");
    case null:
      return "";
    default:
      return reason;
  }
}
