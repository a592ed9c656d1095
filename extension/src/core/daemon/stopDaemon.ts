/** Stopping a daemon: by request, then by a signal, then by force. */

import { DaemonClient } from "../client/daemonClient";
import { waitUntil } from "../common/delay";
import type { Log } from "../common/log";
import { compareVersions } from "../common/versions";
import { ProblemError } from "../problems/problem";
import type { Connected } from "./connectContext";
import { type DaemonInfo, isAlive, readDaemonInfo } from "./daemonInfo";
import { dataDirectory } from "./directories";
import { stuck } from "./problems";
import { type ServerSpec, isLocal } from "./serverSpec";
import type { SupervisorOptions } from "./supervisorOptions";

const ANSWER_LIMIT_MS = 5_000;
/** The daemon's own grace for running requests and jobs is 10 s. */
const GRACE_MS = 20_000;
/** Of one that does not answer at all. */
const SILENT_GRACE_MS = 5_000;

/** Until its process is gone and the data directory is free. Throws `ProblemError` when it stays. */
export async function stopDaemon(info: DaemonInfo, dataDir: string, signal: AbortSignal): Promise<void> {
  const isGone = async (): Promise<boolean> => !isAlive(info.pid) && (await readDaemonInfo(dataDir))?.pid !== info.pid;
  const answer = await askToStop(info, signal);
  if (answer !== "asked") terminate(info.pid, "SIGTERM");
  if (await waitUntil(isGone, answer === "silent" ? SILENT_GRACE_MS : GRACE_MS, signal)) return;
  terminate(info.pid, "SIGKILL");
  if (!(await waitUntil(isGone, GRACE_MS, signal))) throw new ProblemError(stuck(info.pid));
}

/** Ends the daemon that a window used, or one that hangs; another window may have put a new one in its place. */
export async function stopUsedDaemon(
  server: ServerSpec | undefined,
  connected: Connected | undefined,
  startedPid: number | undefined,
  log: Log,
): Promise<void> {
  if (server === undefined || !isLocal(server)) return;
  const info = await readDaemonInfo(server.dataDir);
  if (info === undefined || (connected !== undefined && connected.pid !== info.pid)) return;
  // Without an address it may be a command at work on the data directory, which is not ours to end.
  if (info.connection === undefined && info.pid !== startedPid) return;
  log.info(`Ending the daemon, process ${info.pid}.`);
  await stopDaemon(info, server.dataDir, new AbortController().signal);
}

/** Ends a daemon whose program is about to be replaced. The other windows leave it alone until they need one. */
export async function stopForUpdate({ bundledVersion, log, machine, stopMark }: SupervisorOptions): Promise<void> {
  const dataDir = dataDirectory(machine);
  const info = await readDaemonInfo(dataDir);
  // A newer one, or a command at work, is not the program that is replaced.
  if (info?.connection === undefined || compareVersions(info.version, bundledVersion) > 0) return;
  log.info(`Ending the daemon, process ${info.pid}, before its program is replaced.`);
  await stopMark.write(info.pid);
  await stopDaemon(info, dataDir, new AbortController().signal);
}

/** Whether the daemon took the request to stop. An older one knows no such request; one that hangs does not answer. */
async function askToStop({ connection }: DaemonInfo, signal: AbortSignal): Promise<"asked" | "refused" | "silent"> {
  if (connection === undefined) return "refused";
  const limit = AbortSignal.timeout(ANSWER_LIMIT_MS);
  try {
    await new DaemonClient(connection).stop(AbortSignal.any([signal, limit]));
    return "asked";
  } catch {
    signal.throwIfAborted();
    return limit.aborted ? "silent" : "refused";
  }
}

function terminate(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return;
    throw new ProblemError(stuck(pid));
  }
}
