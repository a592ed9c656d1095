/** Jobs of the daemon in words, the same in the editor and in its webviews. */

import * as l10n from "@vscode/l10n";

import type { Job, JobResult } from "../core/api/types";

/** What a job does; a kind that is not known (of a newer daemon) stands by its own name. */
export function jobTitle({ kind, collection }: Pick<Job, "kind" | "collection">): string {
  switch (kind) {
    case "ingest":
    case "bulk":
    case "upload":
      return l10n.t("Adding documents to {0}", collection);
    case "reread":
      return l10n.t("Reading a document again in {0}", collection);
    case "sync":
      return l10n.t("Reading a source into {0}", collection);
    case "rebuild":
      return collection === "" ? l10n.t("Rebuilding the index") : l10n.t("Rebuilding the index of {0}", collection);
    case "repair":
      return l10n.t("Repairing the index");
    case "tokens":
      return l10n.t("Making token vectors");
    case "captions":
      return l10n.t("Describing pictures");
    case "evaluation":
      return l10n.t("Measuring how good the answers are");
    case "tuning":
      return l10n.t("Looking for better settings");
    case "purge":
    case "cleanup":
      return l10n.t("Deleting documents");
    default:
      return collection === "" ? kind : `${kind} (${collection})`;
  }
}

/** "Embedding, 12 of 40": what a job does just now. */
export function progressText({ stage, done, total }: Job["progress"]): string {
  const name = stageName(stage);
  return total > 0 ? l10n.t("{0}, {1} of {2}", name, done, total) : name;
}

function stageName(stage: string): string {
  switch (stage) {
    case "":
    case "queued":
      return l10n.t("Waiting");
    case "searching files":
      return l10n.t("Searching files");
    // Older daemons told reading and embedding apart; both go on side by side.
    case "indexing":
    case "reading":
    case "embedding":
      return l10n.t("Indexing");
    case "reading pages":
      return l10n.t("Reading pages");
    case "storing":
      return l10n.t("Storing");
    case "embedding passages":
      return l10n.t("Indexing passages");
    case "asking":
      return l10n.t("Asking questions");
    case "tuning":
      return l10n.t("Trying settings");
    case "describing pictures":
      return l10n.t("Describing pictures");
    case "deleting":
      return l10n.t("Deleting");
    case "done":
      return l10n.t("Done");
    default:
      return stage;
  }
}

export function jobStatus(status: Job["status"]): string {
  switch (status) {
    case "queued":
      return l10n.t("Waiting");
    case "running":
      return l10n.t("Running");
    case "completed":
      return l10n.t("Done");
    case "failed":
      return l10n.t("Failed");
    case "cancelled":
      return l10n.t("Cancelled");
  }
}

type Counts = Pick<JobResult, "added" | "updated" | "unchanged" | "moved" | "deleted" | "skipped"> & { failed: number };

/** "3 added, 1 updated, 2 failed": what a job has done; only what is not zero. */
export function resultText(result: Counts): string {
  const parts = [
    result.added > 0 && l10n.t("{0} added", result.added),
    result.updated > 0 && l10n.t("{0} updated", result.updated),
    result.unchanged > 0 && l10n.t("{0} unchanged", result.unchanged),
    result.moved > 0 && l10n.t("{0} moved", result.moved),
    result.deleted > 0 && l10n.t("{0} deleted", result.deleted),
    result.skipped > 0 && l10n.t("{0} skipped", result.skipped),
    result.failed > 0 && l10n.t("{0} failed", result.failed),
  ].filter((part) => part !== false);
  return parts.length === 0 ? l10n.t("Nothing to do") : parts.join(l10n.t(", "));
}

export function passageCount(count: number): string {
  return count === 1 ? l10n.t("1 passage") : l10n.t("{0} passages", count);
}

export function documentCount(count: number): string {
  return count === 1 ? l10n.t("1 document") : l10n.t("{0} documents", count);
}
