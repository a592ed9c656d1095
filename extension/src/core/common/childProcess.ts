/** Programs that we run to their end: their lines as they come, and no child of theirs left behind. */

import { type ChildProcess, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

export interface ChildOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Ends the program and its children; `runChild` then rejects with the signal's reason. */
  signal: AbortSignal;
  onStdout?: (line: string) => void;
  onStderr?: (line: string) => void;
}

export interface ChildEnd {
  /** null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

// An installer gets time to end its own children and to tidy up.
const GRACE_MS = 12_000;

/** Rejects with the system's error (`ENOENT`, `EACCES`, …) when the program can't be started. */
export async function runChild(command: string, args: readonly string[], options: ChildOptions): Promise<ChildEnd> {
  options.signal.throwIfAborted();
  // A group of its own, so that all of it can be ended at once.
  const child = spawn(command, args, {
    env: options.env,
    cwd: options.cwd,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const flush = [eachLine(child.stdout, options.onStdout), eachLine(child.stderr, options.onStderr)];
  const cancel = (): void => void endTree(child);
  options.signal.addEventListener("abort", cancel, { once: true });
  try {
    const end = await new Promise<ChildEnd>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal }));
      // Called off, nobody waits for what a grandchild in a group of its own may still print.
      child.once("exit", (code, signal) => options.signal.aborted && resolve({ code, signal }));
    });
    for (const rest of flush) rest();
    options.signal.throwIfAborted();
    return end;
  } finally {
    options.signal.removeEventListener("abort", cancel);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** The environment of a child: the extension host's with these values over it. */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  changes: Record<string, string | undefined>,
): NodeJS.ProcessEnv {
  const merged: NodeJS.ProcessEnv = { ...env, ...changes };
  // It would turn a child that is an editor, too, into a bare Node.
  delete merged["ELECTRON_RUN_AS_NODE"];
  for (const [name, value] of Object.entries(merged)) {
    if (value === undefined) Reflect.deleteProperty(merged, name);
  }
  return merged;
}

/** Asks the program and its children to end; by force after a while. */
export async function endTree(child: ChildProcess, graceMs = GRACE_MS): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    // The children are found by their parent, so it must be there still.
    const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    killer.once("error", () => child.kill());
    return;
  }
  signalGroup(pid, "SIGTERM");
  const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs);
  await new Promise((resolve) => child.once("exit", resolve));
  clearTimeout(timer);
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Calls `onLine` for each whole line; the function returned hands over a last line that has no end. */
function eachLine(stream: NodeJS.ReadableStream, onLine: ((line: string) => void) | undefined): () => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  stream.on("data", (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? "";
    for (const line of lines) onLine?.(line);
  });
  return () => {
    rest += decoder.end();
    if (rest) onLine?.(rest);
    rest = "";
  };
}
