/** The set-up: Python, environment, packages, model, daemon. Each step looks whether it is done: it can be resumed. */

import * as l10n from "@vscode/l10n";

import type { SetupStep, SetupProgress } from "../../protocol/setup";
import type { DaemonClient } from "../client/daemonClient";
import { Emitter } from "../common/events";
import type { Log } from "../common/log";
import { masked } from "../common/masking";
import { versionOf } from "../daemon/daemonProcess";
import type { Machine } from "../daemon/directories";
import { type LocalServer, type ManagedServer, type ServerSettings, resolveServer } from "../daemon/serverSpec";
import { asProblem } from "../problems/problem";
import type { BootstrapEvent } from "./bootstrapEvents";
import { type SetupRecord, readBundledServer } from "./bundledServer";
import { type EditorPythons, findPython } from "./findPython";
import { fetchModel, makeEnvironment } from "./setupPrograms";

export interface SetupOptions {
  machine: Machine;
  log: Log;
  /** Where `setup/bootstrap.py`, the lock and the wheel are. */
  serverFolder: string;
  environment: string;
  record: SetupRecord;
  settings(): ServerSettings;
  fromEditor: EditorPythons;
  /** Called before the environment of an earlier version is changed: a daemon may run from it. */
  stopForUpdate(): Promise<void>;
  /** Starts the daemon with what is set up now, and says what it does meanwhile. */
  startDaemon(onDetail: (detail: string) => void, signal: AbortSignal): Promise<DaemonClient>;
}

/** What installers say beside their work; it is in the log. */
const ASIDE = /^(WARNING|DEPRECATION|Looking in )/;

type StepProgress = SetupProgress["steps"][number];

export class Setup {
  private readonly changes = new Emitter<SetupProgress>();
  readonly onDidChange = this.changes.event;
  private current: SetupProgress;
  private running: { stop: AbortController; ended: Promise<boolean> } | undefined;

  constructor(private readonly options: SetupOptions) {
    this.current = idle(options.settings());
  }

  get progress(): SetupProgress {
    return this.current;
  }

  /** Resolves whether it came to its end; a second call while it runs is the same run. */
  run(): Promise<boolean> {
    if (this.running === undefined) {
      const stop = new AbortController();
      const ended = this.runSteps(stop.signal).finally(() => (this.running = undefined));
      this.running = { stop, ended };
    }
    return this.running.ended;
  }

  /** Other settings may need other steps. */
  settingsChanged(): void {
    if (this.current.state === "idle" && this.running === undefined) this.show(idle(this.options.settings()));
  }

  /** Ends whatever runs for it, children included. */
  async cancel(): Promise<void> {
    this.running?.stop.abort();
    await this.running?.ended;
  }

  private async runSteps(signal: AbortSignal): Promise<boolean> {
    const settings = this.options.settings();
    this.show({ ...idle(settings), state: "running" });
    try {
      if (!settings.url) {
        const server = settings.executable ? undefined : await this.makeServer(settings, signal);
        await this.getModel(settings, server, signal);
      }
      await this.startDaemon(signal);
      this.show({ ...this.current, state: "idle", status: "", fraction: null });
      return true;
    } catch (error) {
      if (signal.aborted) {
        this.show({
          ...this.current,
          state: "cancelled",
          steps: this.unfinished("waiting"),
          status: "",
          fraction: null,
        });
        this.options.log.info("The set-up was cancelled.");
        return false;
      }
      const problem = asProblem(error);
      this.options.log.error(masked(`${problem.code}: ${problem.message} ${problem.advice}`));
      this.show({
        ...this.current,
        state: "failed",
        steps: this.unfinished("failed"),
        status: "",
        fraction: null,
        problem,
      });
      return false;
    }
  }

  /** The environment with our packages, and how to run what is in it. */
  private async makeServer(settings: ServerSettings, signal: AbortSignal): Promise<ManagedServer> {
    const { environment, fromEditor, log, machine, record, serverFolder } = this.options;
    this.begin("python", l10n.t("Looking for Python"));
    const known = await record.read();
    if (typeof known !== "string" && (await isWhole(known, this.options, signal))) {
      this.finish("python", "");
      this.finish("environment", environment);
      this.finish("packages", l10n.t("Version {0}", known.version));
      return known;
    }
    const bundled = await readBundledServer(serverFolder);
    const python = await findPython(settings.pythonPath, fromEditor, machine, signal);
    log.info(`Using Python ${python.version}: ${python.executable}`);
    this.finish("python", `${python.version} (${python.executable})`);
    this.begin("environment", l10n.t("Checking this machine"));
    if (known === "updated") await this.options.stopForUpdate();
    signal.throwIfAborted();
    const server = await makeEnvironment(
      python.executable,
      bundled.bootstrap,
      environment,
      { machine, log, settings, signal },
      (event) => {
        this.follow(event);
      },
    );
    this.finish("environment", environment);
    this.finish("packages", l10n.t("Version {0}", server.version));
    return server;
  }

  private follow(event: BootstrapEvent): void {
    if (event.event === "status" && !ASIDE.test(event.text)) this.report(`${event.text} (${event.seconds} s)`, null);
    if (event.event !== "step") return;
    if (event.step === "packages") {
      this.finish("environment", this.options.environment);
      this.begin("packages", l10n.t("Installing the packages"));
    } else if (event.step === "verify") this.report(l10n.t("Starting RAG Assistant once"), null);
    else
      this.report(
        event.step === "check" ? l10n.t("Checking this machine") : l10n.t("Making the Python environment"),
        null,
      );
  }

  private async getModel(
    settings: ServerSettings,
    made: ManagedServer | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, machine, record, serverFolder } = this.options;
    this.begin("model", l10n.t("Looking for the model"));
    const server = resolveServer({ settings, token: "", managed: made ?? "new", machine }) as LocalServer;
    let model = "";
    await fetchModel(server.command, server.env, { machine, log, settings, signal }, (event) => {
      if (event.event === "done") model = event.model;
      else this.report(event.text, event.fraction);
    });
    // Only now is all there that a window needs to start the daemon by itself.
    if (made !== undefined) await record.write(await readBundledServer(serverFolder), made);
    this.finish("model", model);
  }

  private async startDaemon(signal: AbortSignal): Promise<void> {
    this.begin("daemon", l10n.t("Starting the daemon"));
    const client = await this.options.startDaemon((detail) => this.report(detail, null), signal);
    signal.throwIfAborted();
    this.finish("daemon", this.options.settings().url ? client.connection.url : "");
  }

  private begin(id: SetupStep, status: string): void {
    this.change(id, { state: "running" }, status);
  }

  private finish(id: SetupStep, note: string): void {
    this.change(id, { state: "done", note: masked(note) }, this.current.status);
  }

  private change(id: SetupStep, change: Partial<StepProgress>, status: string): void {
    const steps = this.current.steps.map((step) => (step.id === id ? { ...step, ...change } : step));
    this.show({ ...this.current, steps, status, fraction: null });
  }

  private report(status: string, fraction: number | null): void {
    this.show({ ...this.current, status: masked(status), fraction });
  }

  private unfinished(state: "waiting" | "failed"): StepProgress[] {
    return this.current.steps.map((step) => (step.state === "running" ? { ...step, state } : step));
  }

  private show(progress: SetupProgress): void {
    this.current = progress;
    this.changes.fire(progress);
  }
}

/** Whether what was set up still starts: its Python may have been replaced since. */
async function isWhole(
  { executable, version }: ManagedServer,
  { machine, log }: SetupOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const env = { PYTHONPATH: undefined, PYTHONHOME: undefined };
  try {
    return (await versionOf(executable, env, machine, signal)) === version;
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`${executable} does not start any more: ${String(error)}`);
    return false;
  }
}

function idle(settings: ServerSettings): SetupProgress {
  return { state: "idle", steps: stepsFor(settings), status: "", fraction: null };
}

/** A server that is already there needs no environment, and one at an address no model here. */
function stepsFor({ url, executable }: ServerSettings): StepProgress[] {
  const all: [SetupStep, string][] = [
    ["python", l10n.t("Find Python")],
    ["environment", l10n.t("Make the environment")],
    ["packages", l10n.t("Install the packages")],
    ["model", l10n.t("Get the model")],
    ["daemon", l10n.t("Start the daemon")],
  ];
  const first = url ? 4 : executable ? 3 : 0;
  return all.slice(first).map(([id, title]) => ({ id, title, state: "waiting", note: "" }));
}
