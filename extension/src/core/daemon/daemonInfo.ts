/** `daemon.json`: how the daemon of a data directory is found. */

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

import type { Connection } from "../client/connection";
import { parseRecord } from "../common/json";

export interface DaemonInfo {
  pid: number;
  version: string;
  /** Absent until the daemon is ready to answer. */
  connection?: Connection;
}

// The token goes to this address, so it must be on this machine whatever the file says.
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/;

/** What a running daemon says of itself. undefined when there is none: no file, half a file, or one of a dead process. */
export async function readDaemonInfo(dataDir: string): Promise<DaemonInfo | undefined> {
  const info = await readFileOf(dataDir);
  return info !== undefined && isAlive(info.pid) ? info : undefined;
}

/** Whether this process has ended without taking its file away, as only a crash does. */
export async function hasCrashed(pid: number, dataDir: string): Promise<boolean> {
  return !isAlive(pid) && (await readFileOf(dataDir))?.pid === pid;
}

/** undefined for anything that is not whole. */
export function parseDaemonInfo(text: string): DaemonInfo | undefined {
  // It may be cut short: its writer is at work, or was.
  const fields = parseRecord(text);
  if (fields === undefined) return undefined;
  const { pid, version, url, token } = fields;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0 || typeof version !== "string")
    return undefined;
  if (url === undefined && token === undefined) return { pid, version };
  if (typeof url !== "string" || !LOOPBACK.test(url) || typeof token !== "string" || token === "") return undefined;
  return { pid, version, connection: { url, token } };
}

/** Whether a process of this number runs, whoever owns it. One that has ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || !isZombie(pid);
}

/** In a container, the orphans of a closed window may stay zombies for ever. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true; // it ended between the two looks
  }
}

async function readFileOf(dataDir: string): Promise<DaemonInfo | undefined> {
  try {
    return parseDaemonInfo(await readFile(path.join(dataDir, "daemon.json"), "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
