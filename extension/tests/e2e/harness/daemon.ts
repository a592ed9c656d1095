import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { SAMPLES, modelsFolder, ragExecutable } from "./paths.ts";
import { isAlive, run, signal } from "./processes.ts";
import { until } from "./wait.ts";

export interface DaemonFile {
  pid: number;
  version: string;
  url?: string;
  token?: string;
}

export function readDaemon(dataDir: string): DaemonFile | undefined {
  const path = join(dataDir, "daemon.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as DaemonFile) : undefined;
}

/** Wait until a daemon of this data directory is ready to answer. */
export async function daemonReady(dataDir: string, patience?: number): Promise<Required<DaemonFile>> {
  return await until(
    "a daemon is ready",
    () => {
      const daemon = readDaemon(dataDir);
      return daemon?.url !== undefined && daemon.token !== undefined && isAlive(daemon.pid) && (daemon as Required<DaemonFile>);
    },
    patience,
  );
}

/** Wait until no daemon of this data directory runs; one that stays is ended, and the error says so. */
export async function daemonGone(dataDir: string, patience = 45_000): Promise<void> {
  const daemon = readDaemon(dataDir);
  if (daemon === undefined) return;
  try {
    await until(`daemon ${daemon.pid} ends by itself`, () => !isAlive(daemon.pid), patience);
  } catch (error) {
    signal(daemon.pid, "SIGKILL");
    throw error;
  }
}

/** A data directory with the sample documents, read once for a machine and a state of the samples; copy it before use. */
export async function sampleData(): Promise<string> {
  const cache = join(tmpdir(), `rag-assistant-test-data-${userInfo().uid}`);
  const ready = join(cache, "samples");
  if (existsSync(ready)) return ready;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const unfinished = mkdtempSync(join(cache, "making-"));
  const env = { ...process.env, RAG_DATA_DIR: unfinished, RAG_MODELS_DIR: modelsFolder() };
  await run(ragExecutable(), ["models", "pull"], env, cache);
  await run(ragExecutable(), ["ingest", SAMPLES, "--collection", "samples", "--create"], env, cache);
  renameSync(unfinished, ready);
  return ready;
}
