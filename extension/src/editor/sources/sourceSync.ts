/** Syncs, from this window, the sources whose token only the editor stores; forgets tokens of sources that are gone. */

import * as vscode from "vscode";

import { isCancelled } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { logFailure } from "../../core/problems/failures";
import { SyncScheduler } from "../../core/sources/syncScheduler";
import { onDaemonChange } from "../daemon/onDaemonChange";
import type { EditorSourceTokens } from "./editorSourceTokens";

/** The daemon's clock may differ a little, and a timer of the editor may be put off while the machine sleeps. */
const LONGEST_WAIT_MS = 10 * 60_000;
const SLACK_MS = 1_000;

export class SourceSync implements vscode.Disposable {
  private readonly scheduler: SyncScheduler;
  private readonly disposables: { dispose(): unknown }[];
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  /** Sources that this daemon had, by its address. */
  private readonly seen = new Map<string, Set<string>>();

  constructor(
    private readonly daemon: DaemonService,
    private readonly tokens: EditorSourceTokens,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.scheduler = new SyncScheduler(log);
    this.disposables = [
      onDaemonChange(daemon, () => this.soon()),
      tokens.onDidChange((id) => {
        this.scheduler.tokenChanged(id);
        this.soon();
      }),
    ];
    this.soon();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const disposable of this.disposables) disposable.dispose();
  }

  private soon(): void {
    this.running = this.running.then(() => this.sync());
  }

  private async sync(): Promise<void> {
    const { status } = this.daemon;
    if (status.kind !== "ready") return;
    clearTimeout(this.timer);
    let wait = LONGEST_WAIT_MS;
    try {
      const stored = await this.tokens.all();
      if (stored.size === 0) return;
      const { client } = status;
      const daemon = {
        sources: async () => {
          const sources = await client.sources();
          await this.forgetGone(
            client.connection.url,
            sources.map(({ id }) => id),
          );
          return sources;
        },
        syncSource: (id: string) => client.syncSource(id),
      };
      wait = Math.min(wait, (await this.scheduler.syncDue(daemon, stored)) ?? wait);
    } catch (error) {
      if (!isCancelled(error)) logFailure(this.log, "Sources could not be looked after", error);
    }
    this.timer = setTimeout(() => this.soon(), wait + SLACK_MS);
  }

  /** A token goes with its source, also when it was removed by another program. */
  private async forgetGone(address: string, ids: string[]): Promise<void> {
    const before = this.seen.get(address) ?? new Set();
    this.seen.set(address, new Set(ids));
    const stored = await this.tokens.all();
    for (const id of before) if (!ids.includes(id) && stored.has(id)) await this.tokens.forget(id);
  }
}
