/** Tells which sessions' files change in a folder, as another window or a tab writes them. */

import { watch, type FSWatcher } from "node:fs";
import { mkdir } from "node:fs/promises";

import type { Disposable } from "../common/events";
import type { Log } from "../common/log";

const FILE = /^([0-9a-f-]{36})\.json$/;
/** One write gives several events. */
const TOGETHER_MS = 50;

export class SessionWatch implements Disposable {
  private watcher: FSWatcher | undefined;
  private isOver = false;
  private readonly due = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly folder: string,
    private readonly changed: (id: string) => void,
    private readonly log: Log,
  ) {}

  /** Resolves when changes from now on are told. Where a folder can't be watched the log says so: what is shown is then looked at anew when it is used. */
  async start(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true });
      if (this.isOver) return;
      this.watcher = watch(this.folder, { persistent: false }, (_, name) => this.tell(name));
      this.watcher.on("error", (error) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  dispose(): void {
    this.isOver = true;
    this.watcher?.close();
    for (const timer of this.due.values()) clearTimeout(timer);
    this.due.clear();
  }

  private tell(name: string | null): void {
    const id = FILE.exec(name ?? "")?.[1];
    if (id === undefined || this.due.has(id)) return;
    const tell = () => {
      this.due.delete(id);
      this.changed(id);
    };
    this.due.set(id, setTimeout(tell, TOGETHER_MS));
  }

  private fail(error: unknown): void {
    this.log.warn(
      `The folder of chats can't be watched; other windows' changes show with the next look at a chat: ${String(error)}`,
    );
    this.watcher?.close();
    this.watcher = undefined;
  }
}
