/** The two programs of the set-up: the bootstrap that makes the environment, and `rag` that fetches the model. */

import { childEnvironment, runChild } from "../common/childProcess";
import type { Log } from "../common/log";
import { masked, secretsOf } from "../common/masking";
import type { Machine } from "../daemon/directories";
import { cannotRun } from "../daemon/problems";
import type { ManagedServer, ServerSettings } from "../daemon/serverSpec";
import { ProblemError } from "../problems/problem";
import { type BootstrapEvent, type ModelEvent, parseBootstrapEvent, parseModelEvent } from "./bootstrapEvents";
import { bootstrapEnded, bootstrapProblem, modelProblem } from "./problems";

export interface ProgramOptions {
  machine: Machine;
  log: Log;
  settings: ServerSettings;
  signal: AbortSignal;
}

type Progress<T> = (event: T) => void;

/** Makes the environment, or finds that it is made. Throws `ProblemError`, or the signal's reason. */
export async function makeEnvironment(
  python: string,
  bootstrap: string,
  environment: string,
  options: ProgramOptions,
  onEvent: Progress<BootstrapEvent>,
): Promise<ManagedServer> {
  const { machine, settings } = options;
  const args = ["-B", bootstrap, "--environment", environment];
  if (settings.indexUrl) args.push("--index-url", settings.indexUrl);
  if (settings.proxy) args.push("--proxy", settings.proxy);
  const env = childEnvironment(machine.env, { PYTHONPATH: undefined, PYTHONHOME: undefined, PYTHONUNBUFFERED: "1" });
  let done: ManagedServer | undefined;
  let failed: Extract<BootstrapEvent, { event: "failed" }> | undefined;
  const { code, output } = await follow(python, args, env, options, parseBootstrapEvent, (event) => {
    if (event.event === "done") done = { executable: event.executable, version: event.version };
    if (event.event === "failed") failed = event;
    onEvent(event);
  });
  if (failed !== undefined) throw new ProblemError(bootstrapProblem(failed));
  if (code !== 0 || done === undefined) throw new ProblemError(bootstrapEnded(code, output));
  return done;
}

/** Fetches the embedding model, or checks the one that is there. Throws `ProblemError`, or the signal's reason. */
export async function fetchModel(
  command: string,
  changes: Record<string, string | undefined>,
  options: ProgramOptions,
  onEvent: Progress<ModelEvent>,
): Promise<void> {
  const { machine, settings } = options;
  const index = settings.indexUrl ? { PIP_INDEX_URL: settings.indexUrl } : {};
  const env = childEnvironment(machine.env, { ...changes, ...index, PYTHONUNBUFFERED: "1" });
  const { code, output } = await follow(
    command,
    ["models", "pull", "--progress", "json"],
    env,
    options,
    parseModelEvent,
    onEvent,
  );
  if (code !== 0) throw new ProblemError(modelProblem(code, output));
}

/** Runs a program that prints events; all that it prints goes into the log. `output`: the end of its standard error. */
async function follow<T extends BootstrapEvent | ModelEvent>(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  { machine, log, settings, signal }: ProgramOptions,
  parse: (line: string) => T | undefined,
  onEvent: Progress<T>,
): Promise<{ code: number | null; output: string }> {
  const secrets = secretsOf([settings.indexUrl, settings.proxy, settings.modelSource]);
  const clean = (text: string): string => masked(text, secrets);
  const errors: string[] = [];
  log.info(clean(`Running ${[command, ...args].join(" ")}`));
  try {
    const { code } = await runChild(command, args, {
      env,
      cwd: machine.home,
      signal,
      onStdout: (line) => {
        const event = parse(line);
        if (event === undefined) log.warn(clean(line));
        else {
          logEvent(log, event, clean);
          onEvent(event);
        }
      },
      onStderr: (line) => {
        log.info(clean(line));
        if (line.trim()) errors.push(clean(line));
      },
    });
    return { code, output: errors.slice(-3).join("\n") };
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new ProblemError(cannotRun(command, error as NodeJS.ErrnoException));
  }
}

function logEvent(log: Log, event: BootstrapEvent | ModelEvent, clean: (text: string) => string): void {
  switch (event.event) {
    case "step":
      log.info(clean(event.title));
      break;
    case "note":
    case "progress":
      log.info(clean(event.text));
      break;
    case "status":
      log.debug(clean(`${event.text} (${event.seconds} s)`));
      break;
    case "failed":
      for (const line of event.log) log.info(clean(line));
      log.error(clean(`${event.code}: ${event.message} ${event.advice}`));
      break;
    case "done":
      log.info("Done.");
      break;
  }
}
