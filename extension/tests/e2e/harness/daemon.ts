import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { SAMPLES, modelsFolder, ragExecutable } from "./paths.ts";
import { Program, isAlive, run, signal } from "./processes.ts";
import { PATIENCE_MS, until } from "./wait.ts";

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

export type DaemonApi = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Asks the daemon itself, beside the editor; an error with its words when it refuses. */
export async function daemonApi(dataDir: string): Promise<DaemonApi> {
  const { url, token } = await daemonReady(dataDir);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
}

/** Wait until the daemon of this data directory has ended by itself. */
export async function daemonGone(dataDir: string, patience = PATIENCE_MS): Promise<void> {
  const daemon = readDaemon(dataDir);
  if (daemon === undefined) return;
  await until(`daemon ${daemon.pid} ends by itself`, () => !isAlive(daemon.pid), patience);
}

/** End what serves this data directory; left alone it would wait for a window a while longer. */
export async function stopDaemon(dataDir: string): Promise<void> {
  for (const pid of servers(dataDir)) signal(pid, "SIGTERM");
  await until("the daemon ends when told to", () => servers(dataDir).length === 0);
}

/** The processes that serve this data directory. */
export function servers(dataDir: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return command.includes("serve") && variables.includes(`RAG_DATA_DIR=${dataDir}`);
      } catch (error) {
        const { code = "" } = error as NodeJS.ErrnoException;
        if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(code)) return false; // gone meanwhile, or another user's
        throw error;
      }
    });
}

/** More than the pictures of the samples take on a slow and busy machine. */
const JOBS_MS = 1_800_000;

/**
 * Make a data directory with the sample documents, and the model if it is not there yet. All jobs have ended: each daemon of a
 * copy would else read and describe the same pictures again, for a minute of a core.
 */
export async function makeSampleData(folder: string): Promise<void> {
  await run(ragExecutable(), ["models", "pull"], ragEnvironment(folder), folder);
  await ingestSamples(folder);
  await finishJobs(folder);
}

/** `settings` are variables of `rag`, which the daemon of this data directory must be given, too. */
export async function ingestSamples(
  folder: string,
  path = SAMPLES,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { ...ragEnvironment(folder), ...settings };
  await run(ragExecutable(), ["ingest", path, "--collection", "samples", "--create"], env, folder);
}

/** Run a daemon on this data directory until all its jobs have ended. */
export async function finishJobs(folder: string): Promise<void> {
  const program = new Program(ragExecutable(), ["serve", "--port", "0"], ragEnvironment(folder), folder);
  try {
    await daemonReady(folder, JOBS_MS);
    const api = await daemonApi(folder);
    const isUnderWay = async (): Promise<boolean> => {
      const { items } = await api<{ items: { status: string }[] }>("GET", "/api/jobs?page_size=100");
      return items.some(({ status }) => status === "queued" || status === "running");
    };
    await until("all jobs have ended", async () => !(await isUnderWay()), JOBS_MS);
  } finally {
    await program.stop();
  }
}

function ragEnvironment(folder: string): NodeJS.ProcessEnv {
  // Without the tests' own variables: `rag` takes every RAG_… for a setting.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RAG_"));
  return { ...Object.fromEntries(inherited), RAG_DATA_DIR: folder, RAG_MODELS_DIR: modelsFolder() };
}
