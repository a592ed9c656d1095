import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

import { until } from "./wait.ts";

const GRACE_MS = 10_000;

const running = new Set<number>();

function killAll(): void {
  for (const group of running) signal(-group, "SIGKILL");
}

// A run that is broken off (Ctrl-C, a test runner that gives up) leaves nothing behind.
process.once("exit", killAll);
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => {
    killAll();
    process.kill(process.pid, name);
  });
}

/** A program with a process group of its own, and all that it printed. */
export class Program {
  readonly process: ChildProcess;
  private printed = "";

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
    this.process = spawn(command, args, { env, cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const group = this.process.pid;
    if (group !== undefined) running.add(group);
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (this.printed += text));
    }
  }

  get output(): string {
    return this.printed;
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** End the program and the children that stayed in its group: asked first, killed after a while. */
  async stop(): Promise<void> {
    const group = this.process.pid;
    if (group === undefined) return;
    signal(-group, "SIGTERM");
    const gone = (): boolean => !signal(-group, 0);
    await until(`process group ${group} ends`, gone, GRACE_MS).catch(async () => {
      signal(-group, "SIGKILL");
      await until(`process group ${group} ends after SIGKILL`, gone, GRACE_MS);
    });
    running.delete(group);
  }
}

/** Send a signal; false when there is no such process (group). */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

/** Whether it runs; one that has ended but that nobody has asked about yet (a zombie) does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return false;
    throw error;
  }
}

export async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const program = new Program(command, args, env, cwd);
  const code = await new Promise<number | null>((resolve, reject) => {
    program.process.once("error", reject).once("close", resolve);
  });
  if (program.process.pid !== undefined) running.delete(program.process.pid);
  if (code !== 0) throw new Error(`\`${[command, ...args].join(" ")}\` ended with ${code ?? "a signal"}:\n${program.output}`);
  return program.output;
}
