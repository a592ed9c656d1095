/** How long to wait before the next try, and when to give up. */

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** 0.5 s, doubling up to 30 s. `failures` counts from 1. */
export function delayAfter(failures: number): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}

/** Remembers recent crashes: one that comes again and again is not mended by another start. */
export class CrashLimit {
  private crashes: number[] = [];

  constructor(
    private readonly now: () => number = Date.now,
    private readonly most = 5,
    private readonly withinMs = 180_000,
    private readonly delay: (failures: number) => number = delayAfter,
  ) {}

  /** Milliseconds until the next start, or undefined when there were too many crashes. */
  crashed(): number | undefined {
    const now = this.now();
    this.crashes = [...this.crashes.filter((time) => now - time < this.withinMs), now];
    return this.crashes.length >= this.most ? undefined : this.delay(this.crashes.length);
  }
}
