/**
 * Schedules the sync of sources whose token only the editor stores: the daemon can't begin by itself, it says when they are due.
 *
 * Every window may do so: the daemon gives the job that waits already to whoever asks a second time.
 */

import type { Source } from "../api/types";
import { asRagError } from "../common/errors";
import type { Log } from "../common/log";

export interface SyncClient {
  sources(): Promise<Source[]>;
  syncSource(id: string): Promise<unknown>;
}

/** Whether it is to be read now. One that was never read is due at once; a time that is not known never comes. */
export function isDue({ enabled, state, waits_for_token, last_started_at, due_at }: Source, now: number): boolean {
  if (!waits_for_token || !enabled || state === "syncing") return false;
  return last_started_at === null || (due_at !== null && Date.parse(due_at) <= now);
}

/** Milliseconds until the next of them is due; undefined when none will be. */
export function untilDue(sources: readonly Source[], now: number): number | undefined {
  const times = sources
    .filter(({ enabled, waits_for_token, due_at }) => enabled && waits_for_token && due_at !== null)
    .map(({ due_at }) => Date.parse(due_at ?? "") - now)
    .filter((time) => time > 0);
  return times.length === 0 ? undefined : Math.min(...times);
}

export class SyncScheduler {
  /** When each was due as it was asked for: a reading that fails is not asked for again and again. */
  private readonly asked = new Map<string, string>();

  constructor(
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {}

  /** Asks for what is due and has a token; gives the milliseconds until it should look again, undefined for: when something changes. */
  async syncDue(daemon: SyncClient, tokens: ReadonlyMap<string, string>): Promise<number | undefined> {
    const sources = await daemon.sources();
    for (const source of sources) {
      if (!tokens.has(source.id) || !isDue(source, this.now())) continue;
      const when = `${source.due_at ?? "never"} ${source.last_started_at ?? "never"}`;
      if (this.asked.get(source.id) === when) continue;
      this.asked.set(source.id, when);
      try {
        await daemon.syncSource(source.id);
      } catch (error) {
        this.log.warn(`Source ${source.id} is due and could not be read: ${asRagError(error).code}`);
      }
    }
    return untilDue(sources, this.now());
  }

  /** A new token deserves a new try. */
  tokenChanged(sourceId: string): void {
    this.asked.delete(sourceId);
  }
}
