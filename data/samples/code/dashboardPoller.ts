/**
 * Polls the admin API for the dashboard and hands out snapshots of the queues.
 *
 * The poller slows down when nobody looks at the page: a hidden tab is refreshed every 90 seconds, a visible one
 * every 5 seconds. After three failures in a row the banner "stale data" is shown; the numbers stay on the page.
 */

export interface QueueSnapshot {
  readonly name: string;
  readonly depth: number;
  readonly oldestAgeSeconds: number;
  readonly state: "active" | "paused" | "rejecting";
}

export interface PollerOptions {
  readonly baseUrl: string;
  readonly token: () => Promise<string>;
  readonly visibleIntervalMs?: number;
  readonly hiddenIntervalMs?: number;
  readonly fetch?: typeof fetch;
}

type Listener = (snapshot: readonly QueueSnapshot[], stale: boolean) => void;

const STALE_AFTER_FAILURES = 3;
const REQUEST_TIMEOUT_MS = 7_500;

/** A queue is coloured red when its oldest job is older than this; amber from half of it on. */
export const BACKLOG_RED_SECONDS = 1_200;

export class DashboardPoller {
  private readonly listeners = new Set<Listener>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private etag: string | undefined;
  private latest: readonly QueueSnapshot[] = [];
  private failures = 0;

  constructor(private readonly options: PollerOptions) {}

  /** Calls `listener` with the latest snapshot at once and after each change. Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    listener(this.latest, this.isStale);
    if (this.listeners.size === 1) {
      void this.tick();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0 && this.timer !== undefined) {
        clearTimeout(this.timer);
        this.timer = undefined;
      }
    };
  }

  private get isStale(): boolean {
    return this.failures >= STALE_AFTER_FAILURES;
  }

  private async tick(): Promise<void> {
    try {
      await this.refresh();
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      console.warn(`Dashboard refresh failed (${this.failures} in a row)`, error);
    }
    for (const listener of this.listeners) {
      listener(this.latest, this.isStale);
    }
    if (this.listeners.size > 0) {
      this.timer = setTimeout(() => void this.tick(), this.intervalMs());
    }
  }

  private async refresh(): Promise<void> {
    const request = this.options.fetch ?? fetch;
    const headers: Record<string, string> = { Authorization: `Bearer ${await this.options.token()}` };
    if (this.etag !== undefined) {
      headers["If-None-Match"] = this.etag;
    }
    const response = await request(`${this.options.baseUrl}/v2/queues?limit=1000`, {
      headers,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.status === 304) {
      return;
    }
    if (!response.ok) {
      throw new Error(`HTTP ${response.status}`);
    }
    this.etag = response.headers.get("ETag") ?? undefined;
    const body = (await response.json()) as { items: QueueSnapshot[] };
    this.latest = [...body.items].sort((a, b) => b.oldestAgeSeconds - a.oldestAgeSeconds);
  }

  private intervalMs(): number {
    const hidden = typeof document !== "undefined" && document.hidden;
    return hidden ? (this.options.hiddenIntervalMs ?? 90_000) : (this.options.visibleIntervalMs ?? 5_000);
  }
}

/** Colour of a queue's row; a paused queue is grey whatever its age. */
export function rowColour(queue: QueueSnapshot): "grey" | "red" | "amber" | "green" {
  if (queue.state !== "active") {
    return "grey";
  }
  if (queue.oldestAgeSeconds > BACKLOG_RED_SECONDS) {
    return "red";
  }
  return queue.oldestAgeSeconds > BACKLOG_RED_SECONDS / 2 ? "amber" : "green";
}
