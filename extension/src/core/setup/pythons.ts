/** Finding a Python that the daemon's environment can be made from: each candidate is run and asked what it is. */

import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

import * as l10n from "@vscode/l10n";

import { childEnvironment, runChild } from "../common/childProcess";
import { isCancelled } from "../common/errors";
import { compareVersions } from "../common/versions";
import { type Machine, pathsOf } from "../daemon/directories";

export const OLDEST_PYTHON = "3.11";
const PROBE_LIMIT_MS = 10_000;

export type PythonSource = "setting" | "environments" | "extension" | "path" | "uv";

export interface Candidate {
  /** The program and what stands before our own arguments, such as `py -3`. */
  command: readonly [string, ...string[]];
  source: PythonSource;
}

/** A Python as it describes itself. */
export interface Python {
  /** Full path of the interpreter. */
  executable: string;
  version: string;
  bits: number;
  venv: boolean;
  /** Whether it can bring packages into an environment by itself. */
  installer: boolean;
}

export type Probed = { candidate: Candidate } & ({ python: Python } | { failure: string });

const PROBE = [
  "import importlib.util as u, json, platform, struct, sys",
  "has = lambda name: u.find_spec(name) is not None",
  'print(json.dumps({"executable": sys.executable, "version": platform.python_version(), "bits": struct.calcsize("P") * 8,',
  '    "venv": has("venv"), "installer": has("pip") or has("ensurepip")}))',
].join("\n");

/** Runs the candidate. A failure is a sentence; only being called off throws. */
export async function probePython(candidate: Candidate, machine: Machine, signal: AbortSignal): Promise<Probed> {
  const lines: string[] = [];
  const errors: string[] = [];
  const limit = AbortSignal.timeout(PROBE_LIMIT_MS);
  const [command, ...before] = candidate.command;
  try {
    // -I: neither the folder it runs in nor the user's variables have a say in what it imports.
    const end = await runChild(command, [...before, "-I", "-c", PROBE], {
      env: childEnvironment(machine.env, {}),
      cwd: machine.home,
      signal: AbortSignal.any([signal, limit]),
      onStdout: (line) => lines.push(line),
      onStderr: (line) => errors.push(line),
    });
    const python = parsePython(lines.at(-1) ?? "");
    if (end.code === 0 && python !== undefined) return { candidate, python };
    const output = errors.filter((line) => line.trim()).at(-1);
    return { candidate, failure: output ?? l10n.t("It is no Python that works.") };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted || isCancelled(error))
      return { candidate, failure: l10n.t("It did not answer within {0} seconds.", PROBE_LIMIT_MS / 1000) };
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { candidate, failure: l10n.t("There is no such program.") };
    if (code === "EACCES") return { candidate, failure: l10n.t("It may not be run.") };
    throw error;
  }
}

/** Why this Python will not do; undefined when it will. */
export function problemOf(python: Python, hasUv: boolean): string | undefined {
  if (compareVersions(python.version, OLDEST_PYTHON) < 0) {
    return l10n.t("It is Python {0}; {1} or newer is needed.", python.version, OLDEST_PYTHON);
  }
  if (python.bits !== 64) return l10n.t("It is a {0}-bit Python; 64 bits are needed.", python.bits);
  if (!python.venv) return l10n.t("It lacks the module venv (on Debian and Ubuntu: the package python3-venv).");
  if (!python.installer && !hasUv)
    return l10n.t("It lacks pip and ensurepip (on Debian and Ubuntu: the package python3-venv).");
  return undefined;
}

/** The usual names, those that are there, the newest first. */
export function pythonsOnPath(machine: Machine): Candidate[] {
  if (machine.platform === "win32") {
    const launcher = findProgram("py", machine);
    const found: Candidate[] = launcher === undefined ? [] : [{ command: [launcher, "-3"], source: "path" }];
    return [...found, ...programs(["python3", "python"], machine)];
  }
  return programs(["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"], machine);
}

/** The full path of a program on PATH. Relative folders of PATH are left out: a workspace could hide a program there. */
export function findProgram(name: string, machine: Machine): string | undefined {
  const paths = pathsOf(machine);
  const folders = (machine.env["PATH"] ?? machine.env["Path"] ?? "")
    .split(paths.delimiter)
    .filter((folder) => paths.isAbsolute(folder));
  const names = machine.platform === "win32" ? [`${name}.exe`] : [name];
  for (const folder of folders) {
    const found = names.map((one) => paths.join(folder, one)).find(isProgram);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The Python that uv knows of, its own included. */
export async function pythonOfUv(uv: string, machine: Machine, signal: AbortSignal): Promise<Candidate | undefined> {
  const lines: string[] = [];
  const limit = AbortSignal.timeout(PROBE_LIMIT_MS);
  try {
    const end = await runChild(uv, ["python", "find", "--no-project", `>=${OLDEST_PYTHON}`], {
      env: childEnvironment(machine.env, { UV_PYTHON_DOWNLOADS: "never" }),
      cwd: machine.home,
      signal: AbortSignal.any([signal, limit]),
      onStdout: (line) => lines.push(line.trim()),
    });
    const found = lines.at(-1);
    return end.code === 0 && found && path.isAbsolute(found) ? { command: [found], source: "uv" } : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted || (error as NodeJS.ErrnoException).code !== undefined) return undefined; // a shim without a uv behind it
    throw error;
  }
}

/** The same interpreter found twice is one; the first place counts. */
export function withoutDoubles(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ command }) => {
    const key = command.join("\0");
    return !seen.has(key) && seen.add(key);
  });
}

function programs(names: readonly string[], machine: Machine): Candidate[] {
  return names.flatMap((name) => {
    const found = findProgram(name, machine);
    return found === undefined ? [] : [{ command: [found] as const, source: "path" as const }];
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}

function parsePython(line: string): Python | undefined {
  try {
    const value = JSON.parse(line) as Partial<Python>;
    const { executable, version, bits, venv, installer } = value;
    if (typeof executable !== "string" || typeof version !== "string" || typeof bits !== "number") return undefined;
    return { executable, version, bits, venv: venv === true, installer: installer === true };
  } catch {
    return undefined; // another program's words
  }
}
