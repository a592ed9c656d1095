/** A daemon that this window has started. It outlives the window: others may use it. */

import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import path from "node:path";

import { childEnvironment, runChild } from "../common/childProcess";
import type { Machine } from "./directories";
import type { LocalServer } from "./serverSpec";

/** Seconds that a daemon goes on without any window: long enough to reload one. */
const UNUSED_S = 20;
const TAIL_BYTES = 8192;
const VERSION_LIMIT_MS = 30_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface DaemonProgram {
  pid: number;
  /** Set once it has ended. */
  readonly exit: Exit | undefined;
  /** The end of what it has printed. */
  tail(): string;
}

/** Starts `rag serve`, its output in `logFile`. Rejects with the system's error when it can't be started. */
export async function startDaemon(server: LocalServer, machine: Machine, logFile: string): Promise<DaemonProgram> {
  mkdirSync(path.dirname(logFile), { recursive: true });
  // A file and no pipe: nobody reads a pipe any more once this window is closed, and its writer would wait or die.
  const output = openSync(logFile, "a", 0o600);
  try {
    const before = fstatSync(output).size;
    const child = spawn(server.command, ["serve", "--port", "0", "--stop-when-unused", String(UNUSED_S)], {
      cwd: machine.home,
      env: childEnvironment(machine.env, { ...server.env, RAG_DATA_DIR: server.dataDir, PYTHONUNBUFFERED: "1" }),
      stdio: ["ignore", output, output],
      detached: true,
      windowsHide: true,
    });
    let exit: Exit | undefined;
    child.once("exit", (code, signal) => (exit = { code, signal }));
    await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    child.unref();
    return {
      pid: child.pid ?? 0,
      get exit() {
        return exit;
      },
      tail: () => readTail(logFile, before),
    };
  } finally {
    closeSync(output);
  }
}

/** The version of a `rag`, as `rag --version` tells it; undefined when it tells none. */
export async function versionOf(
  command: string,
  env: LocalServer["env"],
  machine: Machine,
  signal: AbortSignal,
): Promise<string | undefined> {
  let version: string | undefined;
  await runChild(command, ["--version"], {
    cwd: machine.home,
    env: childEnvironment(machine.env, env),
    signal: AbortSignal.any([signal, AbortSignal.timeout(VERSION_LIMIT_MS)]),
    onStdout: (line) => (version ??= /^rag (\S+)$/.exec(line.trim())?.[1]),
  });
  return version;
}

function readTail(file: string, from: number): string {
  const input = openSync(file, "r");
  try {
    const end = fstatSync(input).size;
    const start = Math.max(from, end - TAIL_BYTES);
    const bytes = Buffer.alloc(Math.max(0, end - start));
    readSync(input, bytes, 0, bytes.length, start);
    return bytes.toString("utf8").trim();
  } finally {
    closeSync(input);
  }
}
