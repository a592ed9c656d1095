/** Lets one window start the daemon where several want it at the same moment; the daemon's own lock is what counts. */

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

import { isAlive } from "./daemonInfo";

/** After that the others try for themselves: it costs them a process that finds the data directory taken. */
const LASTS_MS = 60_000;

export class StartClaim {
  private isOurs = false;

  constructor(private readonly file: string) {}

  /** Whether this window may start it now. */
  take(): boolean {
    if (this.isOurs) return true;
    mkdirSync(path.dirname(this.file), { recursive: true });
    if (!this.isHeld()) rmSync(this.file, { force: true });
    try {
      writeFileSync(this.file, String(process.pid), { flag: "wx" });
      this.isOurs = true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    return this.isOurs;
  }

  release(): void {
    if (this.isOurs) rmSync(this.file, { force: true });
    this.isOurs = false;
  }

  private isHeld(): boolean {
    try {
      return isAlive(Number(readFileSync(this.file, "utf8"))) && Date.now() - statSync(this.file).mtimeMs < LASTS_MS;
    } catch {
      return false; // none, or given up at this moment
    }
  }
}
