/** Supervises the daemon for one window: finds or starts it, holds the connection, and recovers it when it is gone. */

import * as l10n from "@vscode/l10n";

import type { Problem } from "../../protocol/setup";
import type { DaemonState } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import { pause } from "../common/delay";
import { RagError, isCancelled } from "../common/errors";
import { Emitter } from "../common/events";
import { ProblemError, asProblem } from "../problems/problem";
import { CrashLimit, delayAfter } from "./backoff";
import { connect } from "./connect";
import type { Connected, UsableServer } from "./connectContext";
import { hasCrashed } from "./daemonInfo";
import { keepPresence } from "./presence";
import { tooManyCrashes } from "./problems";
import { type ServerSpec, isLocal, sameServer } from "./serverSpec";
import type { Notice, DaemonStatus } from "./status";
import { stopUsedDaemon, stopForUpdate } from "./stopDaemon";
import type { SupervisorOptions } from "./supervisorOptions";

export class Supervisor {
  private readonly statuses = new Emitter<DaemonStatus>();
  private readonly lives = new Emitter<DaemonState>();
  private readonly notices = new Emitter<Notice>();
  readonly onDidChangeStatus = this.statuses.event;
  readonly onDidChangeLive = this.lives.event;
  readonly onNotice = this.notices.event;

  private now: DaemonStatus = { kind: "starting", detail: "" };
  private lastState: DaemonState | undefined;
  private server: ServerSpec | undefined;
  private connected: Connected | undefined;
  private startedPid: number | undefined;
  private running: { stop: AbortController; ended: Promise<void> } | undefined;
  /** Changes of what runs, one after another. */
  private turn: Promise<unknown> = Promise.resolve();
  private disposed = false;

  constructor(private readonly options: SupervisorOptions) {}

  get status(): DaemonStatus {
    return this.now;
  }

  get live(): DaemonState | undefined {
    return this.lastState;
  }

  /** Find or start the daemon, unless that is under way. */
  start(): void {
    if (this.running === undefined && !this.disposed) this.begin();
  }

  /** Waits while the daemon starts. Throws `RagError` where there can be none. */
  async client(): Promise<DaemonClient> {
    if (this.now.kind === "stopped" || this.now.kind === "starting") this.start();
    for (;;) {
      switch (this.now.kind) {
        case "ready":
          return this.now.client;
        case "setupNeeded":
          throw new RagError(
            "SETUP_NEEDED",
            l10n.t("RAG Assistant is not set up yet."),
            l10n.t("Run the set-up first."),
          );
        case "attention":
          throw new ProblemError(this.now.problem);
        case "stopped":
          throw new RagError("CANCELLED", l10n.t("The daemon was stopped."));
        case "starting":
          await this.nextStatus();
      }
    }
  }

  /** The settings may have changed: go over to the server that they name now; one that works already goes on. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      let next: ServerSpec | undefined;
      try {
        next = await this.options.resolve();
      } catch {
        // The run that begins below says what is wrong.
      }
      const before = this.server;
      const isSame = next !== undefined && before !== undefined && sameServer(before, next);
      if (isSame && (this.now.kind === "ready" || this.now.kind === "starting")) return;
      // A daemon that was started from other settings would go on with them.
      const isReplaced = !isSame && next !== undefined && isLocal(next) && before !== undefined && isLocal(before);
      await this.again(isReplaced);
    });
  }

  /** End the daemon and start it anew. */
  restart(): Promise<void> {
    return this.inTurn(() => this.again(true));
  }

  /** End the daemon, for all windows; it starts again when it is needed. */
  stop(): Promise<void> {
    return this.inTurn(async () => {
      const { connected } = this;
      await this.halt();
      if (connected?.pid !== undefined) await this.options.stopMark.write(connected.pid);
      try {
        await stopUsedDaemon(this.server, connected, this.startedPid, this.options.log);
        this.become({ kind: "stopped" });
      } catch (error) {
        this.become({ kind: "attention", problem: asProblem(error) });
      }
    });
  }

  /** End a daemon whose program is about to be replaced. The other windows leave it alone until they need one. */
  stopForUpdate(): Promise<void> {
    return this.inTurn(async () => {
      await this.halt();
      await stopForUpdate(this.options);
    });
  }

  /** Leave the daemon to the other windows; without any it ends by itself. */
  async dispose(): Promise<void> {
    this.disposed = true;
    await this.halt();
    for (const emitter of [this.statuses, this.lives, this.notices]) emitter.dispose();
  }

  private async again(endFirst: boolean): Promise<void> {
    const { connected } = this;
    await this.halt();
    this.become({ kind: "starting", detail: "" });
    try {
      if (endFirst) await stopUsedDaemon(this.server, connected, this.startedPid, this.options.log);
    } catch (error) {
      this.become({ kind: "attention", problem: asProblem(error) });
      return;
    }
    this.start();
  }

  private begin(): void {
    const stop = new AbortController();
    this.become({ kind: "starting", detail: "" });
    const ended = this.run(stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      this.options.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      this.become({ kind: "attention", problem: asProblem(error) });
    });
    const running = { stop, ended };
    this.running = running;
    void ended.then(() => {
      if (this.running === running) this.running = undefined;
    });
  }

  private async halt(): Promise<void> {
    this.running?.stop.abort();
    await this.running?.ended;
    this.running = undefined;
    this.connected = undefined;
  }

  private async run(signal: AbortSignal): Promise<void> {
    const delay = this.options.delayAfter ?? delayAfter;
    const crashes = new CrashLimit(Date.now, 5, 180_000, delay);
    let failures = 0;
    let recovering = false;
    for (;;) {
      this.server = await this.options.resolve();
      signal.throwIfAborted();
      if (this.server.kind === "setupNeeded") {
        this.become(this.server);
        return;
      }
      let problem: Problem | undefined;
      try {
        await this.use(this.server, signal, () => {
          failures = 0;
          if (recovering) this.notices.fire({ kind: "recovered" });
          recovering = false;
        });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProblemError) || !error.retry) throw error;
        problem = error.problem;
        this.options.log.warn(problem.message);
      }
      const { connected } = this;
      this.connected = undefined;
      if (connected?.pid !== undefined && (await this.options.stopMark.read()) === connected.pid) {
        this.become({ kind: "stopped" });
        return;
      }
      if (!isLocal(this.server) || problem?.code === "DAEMON_UNREACHABLE") {
        failures += 1;
        if (problem !== undefined) this.become({ kind: "attention", problem });
        await pause(delay(failures), signal);
        continue;
      }
      this.become({ kind: "starting", detail: l10n.t("The daemon ended; starting it again") });
      // The process may end a moment after its connections.
      await pause(200, signal);
      const crashed =
        problem !== undefined ||
        (connected?.pid !== undefined && (await hasCrashed(connected.pid, this.server.dataDir)));
      if (!crashed) continue;
      recovering ||= problem === undefined;
      const wait = crashes.crashed();
      if (wait === undefined) {
        const last = problem ?? asProblem(new RagError("DAEMON_CRASHED", l10n.t("The daemon ended unexpectedly.")));
        const final = tooManyCrashes(last);
        this.become({ kind: "attention", problem: final });
        this.notices.fire({ kind: "gaveUp", problem: final });
        return;
      }
      this.options.log.warn(`The daemon crashed; the next start is in ${wait} ms.`);
      await pause(wait, signal);
    }
  }

  /** Until the daemon is gone. */
  private async use(server: UsableServer, signal: AbortSignal, onReady: () => void): Promise<void> {
    const reports = {
      starting: (detail: string) => this.become({ kind: "starting", detail }),
      silent: (detail: string) => {
        // What was told of a daemon that hangs stays until it answers, or another one starts.
        if (this.now.kind !== "attention") this.become({ kind: "starting", detail });
      },
      started: (pid: number) => (this.startedPid = pid),
      replaced: (version: string) => this.notices.fire({ kind: "replaced", version }),
    };
    const connected = await connect(server, this.options, reports, signal);
    this.connected = connected;
    await keepPresence(connected, isLocal(server), signal, (state) => {
      if (this.now.kind !== "ready") {
        this.options.log.info(`Ready: version ${connected.version} at ${connected.client.connection.url}.`);
        this.become({ kind: "ready", client: connected.client, version: connected.version });
        onReady();
      }
      this.lastState = state;
      this.lives.fire(state);
    });
    this.options.log.info("The connection to the daemon has ended.");
  }

  private become(next: DaemonStatus): void {
    if (next.kind !== "ready") this.lastState = undefined;
    const isSame = next.kind === "starting" && this.now.kind === "starting" && next.detail === this.now.detail;
    if (isSame) return;
    this.now = next;
    this.statuses.fire(next);
  }

  private nextStatus(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.disposed) {
        reject(new RagError("CANCELLED", l10n.t("The window is closing.")));
        return;
      }
      const listener = this.statuses.event(() => {
        listener.dispose();
        resolve();
      });
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch((error: unknown) => {
      if (!isCancelled(error)) this.options.log.error(String(error));
    });
    return done;
  }
}
