/** What was measured, by name: the times of all rounds, and how they are told. */

import { cpus, loadavg, totalmem } from "node:os";

export class Figures {
  private readonly times = new Map<string, number[]>();

  /** Also told at once, as a run takes minutes. `ms`: rounded to whole milliseconds. */
  add(name: string, ms: number): void {
    if (!Number.isFinite(ms)) throw new Error(`${name} was not measured.`);
    console.error(`${name}: ${Math.round(ms)} ms`);
    this.times.set(name, [...(this.times.get(name) ?? []), Math.round(ms)]);
  }

  /** One line each, in the order in which they first came: median, range, and how many there are. */
  lines(): string[] {
    return [...this.times].map(([name, times]) => {
      const sorted = [...times].sort((a, b) => a - b);
      return `${name}: ${median(sorted)} ms (${sorted[0]} to ${sorted.at(-1)}, ${sorted.length} times)`;
    });
  }
}

/** Of sorted numbers; between the two in the middle where their count is even. */
function median(sorted: readonly number[]): number {
  const half = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return Math.round((low + high) / 2);
}

export function machine(): string {
  return `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/** Of the last minute. */
export function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "?";
}
