/** The status of a Confluence or Jira source in words: for the tree, and for the page of its ledger. */

import * as l10n from "@vscode/l10n";

import { progressText } from "../../protocol/jobs";
import { cycleCounts, itemName, reasonText } from "../../protocol/ledger";
import type { CloudConfig, Job, LedgerCycle, SkippedItem, Source } from "../api/types";

/** Read from a site, not from a folder. */
export function isCloud({ type }: Pick<Source, "type">): boolean {
  return type === "confluence" || type === "jira";
}

export interface Auth {
  address: string;
  kind: string;
  email: string;
  /** Where the token for reading is, or `request`. */
  reference: string;
}

export function authOf({ config }: Pick<Source, "config">): Auth {
  const { base_url = "", auth } = config as Partial<CloudConfig>;
  return { address: base_url, kind: auth?.kind ?? "pat", email: auth?.email ?? "", reference: auth?.token ?? "" };
}

export type CloudState = "paused" | "syncing" | "failed" | "waiting" | "held" | "noToken" | "fine";

/** `hasToken`: the person has set a token for it. The first that holds is what is said. */
export function cloudState(source: Source, hasToken: boolean): CloudState {
  if (!source.enabled) return "paused";
  if (source.state === "syncing") return "syncing";
  if (source.waits_for_token && !hasToken) return "waiting";
  if (source.state === "error" || source.last_error !== null) return "failed";
  if ((source.last_result?.held ?? 0) > 0) return "held";
  return needsToken(source, hasToken) ? "noToken" : "fine";
}

/** Whether the person's questions find nothing in it. */
export function needsToken(source: Pick<Source, "public">, hasToken: boolean): boolean {
  return !source.public && !hasToken;
}

export const SET_TOKEN = () => l10n.t("Set your token to search this source");

/** `job` is its reading while that is under way. */
export function cloudStateText(source: Source, hasToken: boolean, job: Job | undefined, language: string): string {
  switch (cloudState(source, hasToken)) {
    case "paused":
      return l10n.t("Paused");
    case "syncing":
      return job ? progressText(job.progress) : l10n.t("Being read");
    case "waiting":
      return l10n.t("Waits for its token");
    case "failed":
      return source.last_error ?? l10n.t("Failed");
    case "held":
      return heldText(source.last_result?.held ?? 0);
    case "noToken":
      return SET_TOKEN();
    case "fine":
      return dueText(source.due_at, language) || l10n.t("Up to date");
  }
}

export function heldText(count: number): string {
  return count === 1 ? l10n.t("1 deletion held back") : l10n.t("{0} deletions held back", count);
}

export function dueText(due: string | null, language: string): string {
  return due === null ? "" : l10n.t("Next reading {0}", moment(due, language));
}

/** Lines for the tooltip: address, access, and what the last reading did. */
export function cloudLines(source: Source, hasToken: boolean, language: string): string[] {
  const { last_result: result, last_finished_at: finished, notice } = source;
  return [
    authOf(source).address,
    accessLine(source),
    needsToken(source, hasToken) ? SET_TOKEN() : "",
    source.waits_for_token ? l10n.t("VS Code keeps its token: it is read while VS Code runs.") : "",
    dueText(source.due_at, language),
    ...lastLines(result, moment(finished, language)),
    source.last_error ?? "",
    notice ?? result?.notice ?? "",
  ];
}

function lastLines(result: Source["last_result"], finished: string): string[] {
  if (typeof result?.remote !== "number") return [l10n.t("Not read yet")];
  const { remote, indexed, skipped, complete } = result;
  return [
    l10n.t("Last reading {0}: {1} there = {2} indexed + {3} left out", finished, remote, indexed ?? 0, skipped),
    completeLine(complete ?? false),
  ];
}

function accessLine({ live, public: isPublic }: Source): string {
  if (isPublic) return l10n.t("Open to everybody who uses this daemon.");
  return live === "cached"
    ? l10n.t("Each question asks the site whether you may read it.")
    : l10n.t("Each question asks the site whether you may read it, and for its newest version.");
}

function completeLine(isComplete: boolean): string {
  return isComplete
    ? l10n.t("Complete: every item is accounted for.")
    : l10n.t("Not complete: the next reading goes on.");
}

export interface LedgerRowText {
  label: string;
  description: string;
  tooltip: string[];
}

export function cycleText(cycle: LedgerCycle, language: string): LedgerRowText {
  return {
    label: l10n.t("Last reading {0}", moment(cycle.started_at, language)),
    description: cycleCounts(cycle),
    tooltip: [cycleCounts(cycle), completeLine(cycle.complete), cycle.notice ?? ""].filter((line) => line !== ""),
  };
}

/** Its title only where the daemon gives one: the person may read it there. */
export function skippedText(item: SkippedItem): LedgerRowText {
  return {
    label: itemName(item),
    description: reasonText(item.reason),
    tooltip: [itemName(item), item.id, reasonText(item.reason), item.message ?? ""].filter((line) => line !== ""),
  };
}

function moment(at: string | null, language: string): string {
  return at === null ? "" : new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}
