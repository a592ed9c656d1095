/** Every message between the page of a source's ledger and the extension, and its words. */

import * as l10n from "@vscode/l10n";

import type { LedgerCycle, LedgerItem, SkippedItem } from "../core/api/types";
import type { Envelope } from "./envelope";

type Nothing = object;

export interface LedgerState {
  name: string;
  /** In words; the page knows neither the source's configuration nor any token. */
  about: string[];
  /** Newest first. */
  cycles: LedgerCycle[];
  /** How many items are in each state. */
  counts: Record<string, number>;
  /** The first that were left out, and how many there are. */
  skipped: LedgerItem[];
  skippedTotal: number;
  /** The first that are gone there and kept here. */
  held: LedgerItem[];
  heldTotal: number;
}

export interface LedgerToExtension {
  ready: Nothing;
  refresh: Nothing;
  sync: Nothing;
  /** `null`: all that were left out. */
  retry: { items: string[] | null };
  /** The next items that were left out. */
  more: Nothing;
  "webview.error": { message: string; stack: string };
}

export interface LedgerToWebview {
  init: { text: Record<string, string>; language: string };
  state: { state: LedgerState };
  failed: { message: string; advice: string };
}

export type LedgerMessageToExtension = Envelope<LedgerToExtension>;
export type LedgerMessageToWebview = Envelope<LedgerToWebview>;

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

/** Whether another try can help; what a rule leaves out stays out. */
export function canBeRetried(reason: string | null): boolean {
  return reason !== "filtered";
}
