/** What the status bar says of the daemon's jobs. */

import type { Job } from "../api/types";

export interface Indexing {
  /** Whole percent of all unfinished jobs together; undefined while no job knows how much there is to do. */
  percent: number | undefined;
  /** When all that is done is to describe pictures: how many of them. */
  pictures?: { done: number; total: number };
}

/** undefined when nothing is being indexed. A job that waits for a later try does nothing now. */
export function indexingOf(jobs: readonly Job[]): Indexing | undefined {
  const active = jobs.filter((job) => job.status === "running" || (job.status === "queued" && !job.not_before));
  if (active.length === 0) return undefined;
  const done = sum(active.map(({ progress }) => Math.min(progress.done, progress.total)));
  const total = sum(active.map(({ progress }) => progress.total));
  const indexing = { percent: total === 0 ? undefined : Math.floor((100 * done) / total) };
  return total > 0 && active.every(({ kind }) => kind === "captions")
    ? { ...indexing, pictures: { done, total } }
    : indexing;
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}
