/** Keeps a model lent for as long as its person wants, and says how that stands. */

import * as l10n from "@vscode/l10n";

import { asRagError } from "../common/errors";
import { Emitter } from "../common/events";
import type { DaemonService } from "../daemon/status";
import { Lender } from "./lender";
import type { VisionModel } from "./visionModel";

export type LendingState =
  /** Nobody has agreed, or the agreement was taken back. */
  | { kind: "off" }
  /** `described` counts the pictures since the window opened. */
  | { kind: "lent"; model: string; described: number }
  /** The model can't be asked now; it is tried again by itself. */
  | { kind: "paused"; model: string; reason: string };

export interface LendingOptions {
  lender: string;
  daemon: Pick<DaemonService, "status" | "onDidChangeStatus" | "onDidChangeLive">;
  log: { error(message: string): void };
  /** Milliseconds: between two looks while pictures are being described, while none are, and after the model could not be asked. */
  pauses?: { soon: number; idle: number; refused: number };
}

const PAUSES = { soon: 1_000, idle: 60_000, refused: 15 * 60_000 };

export class Lending {
  private readonly changes = new Emitter<LendingState>();
  readonly onDidChange = this.changes.event;
  private current: LendingState = { kind: "off" };
  private stopping: AbortController | undefined;
  private described = 0;
  /** Ends the pause, if there is one. */
  private wake: () => void = () => undefined;
  /** Whether what the daemon does ends the pause: pictures may have come. */
  private isIdle = false;
  /** Counts what ends a pause: some of it comes during a round, which may have looked before it. */
  private news = 0;
  private readonly listeners: { dispose(): unknown }[];

  constructor(private readonly options: LendingOptions) {
    const { daemon } = options;
    this.listeners = [
      daemon.onDidChangeStatus(() => this.retry()),
      daemon.onDidChangeLive(() => {
        this.news += 1;
        if (this.isIdle) this.wake();
      }),
    ];
  }

  get state(): LendingState {
    return this.current;
  }

  /** Lends this model from now on, in the place of another. `find` gives it anew, or undefined while the editor lacks it. */
  start(name: string, find: () => Promise<VisionModel | undefined>): void {
    this.stop();
    const stopping = new AbortController();
    this.stopping = stopping;
    this.show({ kind: "lent", model: name, described: this.described });
    void this.run(name, find, stopping.signal);
  }

  stop(): void {
    if (this.stopping === undefined) return;
    this.stopping.abort();
    this.stopping = undefined;
    this.wake();
    this.show({ kind: "off" });
    const { status } = this.options.daemon;
    // What this window has is there for another one at once; without this it would be after the lease.
    if (status.kind === "ready") void status.client.pictures.stopLending(this.options.lender).catch(() => undefined);
  }

  /** The editor has other models now, or somebody wants another try: a pause ends. */
  retry(): void {
    this.news += 1;
    this.wake();
  }

  dispose(): void {
    this.stop();
    for (const listener of this.listeners) listener.dispose();
    this.changes.dispose();
  }

  private async run(name: string, find: () => Promise<VisionModel | undefined>, signal: AbortSignal): Promise<void> {
    const pauses = this.options.pauses ?? PAUSES;
    const isOver = () => signal.aborted;
    while (!isOver()) {
      let wait: number;
      this.isIdle = false;
      const before = this.news;
      try {
        wait = await this.round(name, find, signal);
        if (wait === pauses.idle && this.news !== before) wait = pauses.soon;
        this.isIdle = wait === pauses.idle;
      } catch (error) {
        if (isOver()) return;
        const { code, message } = asRagError(error);
        this.options.log.error(`Pictures are not described now: ${code} ${message}`);
        // A daemon that is gone says so elsewhere, and its return ends the pause.
        if (code !== "DAEMON_UNREACHABLE") this.show({ kind: "paused", model: name, reason: message });
        wait = code === "MODEL_QUOTA" ? pauses.refused : pauses.idle;
      }
      await this.pause(wait, signal);
    }
  }

  /** Returns how long to wait for the next one. */
  private async round(
    name: string,
    find: () => Promise<VisionModel | undefined>,
    signal: AbortSignal,
  ): Promise<number> {
    const pauses = this.options.pauses ?? PAUSES;
    const { status } = this.options.daemon;
    if (status.kind !== "ready") return pauses.idle;
    const model = await find();
    if (model === undefined) {
      this.show({ kind: "paused", model: name, reason: l10n.t("the editor has no such model now") });
      return pauses.idle;
    }
    const done = await new Lender(this.options.lender, status.client.pictures, model).round(signal);
    if (signal.aborted) return 0;
    if (done === "described") this.described += 1;
    this.show({ kind: "lent", model: name, described: this.described });
    if (done === "described") return 0;
    return done === "nothing" ? pauses.idle : pauses.soon;
  }

  private pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds === 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake(), milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = () => undefined;
        resolve();
      };
    });
  }

  private show(state: LendingState): void {
    if (JSON.stringify(state) === JSON.stringify(this.current)) return;
    this.current = state;
    this.changes.fire(state);
  }
}
