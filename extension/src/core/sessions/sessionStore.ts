/**
 * Conversations on disk: `<folder>/<id>.json`, one file each. Several windows share the folder: what the files say is what
 * counts, and the last one to write a session wins. `index.json` only saves reading: each row in it carries the stamp of the file
 * that it was made from, so that a stale, missing or damaged index does no harm.
 */

import { statSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import type { Session, SessionRow } from "../../protocol/session";
import { Emitter, type Disposable } from "../common/events";
import type { Log } from "../common/log";
import { recovered } from "./sessionChanges";
import {
  DamagedSession,
  NewerSession,
  decodeSession,
  encodeSession,
  readStamped,
  stampOf,
  writeWhole,
} from "./sessionFile";
import { readIndex, rowOf, writeIndex, type Indexed } from "./sessionIndex";
import { excerpt, searchable, wordsOf, type Searchable } from "./sessionSearch";
import { SessionWatch } from "./sessionWatch";

const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FILE = /^([0-9a-f-]{36})\.json$/;
const READ_TOGETHER = 16;
const ABANDONED_MS = 60 * 60 * 1000;
/** Who writes an answer writes its session at least this often (ms), though nothing new has come. */
export const BEAT_MS = 4000;
/** After this (ms) nobody writes an answer any more. */
export const SILENT_MS = 3 * BEAT_MS;

export class SessionStore implements Disposable {
  private readonly failed = new Emitter<Error>();
  /** A session could not be written; it is kept in memory and written with its next change. */
  readonly onDidFail = this.failed.event;
  private readonly changed = new Emitter<string>();
  /** The session with this id was written or deleted by another window or tab, once `watch` has begun. */
  readonly onDidChangeElsewhere = this.changed.event;
  private readonly watcher: SessionWatch;

  private readonly pending = new Map<string, Session>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly writing = new Map<string, Promise<void>>();
  private readonly writtenAt = new Map<string, number>();
  /** The stamp of the file as this window last read or wrote it. */
  private readonly seen = new Map<string, string>();
  private readonly texts = new Map<string, { stamp: string; text: Searchable }>();
  private index: Map<string, Indexed> | undefined;
  private listing: Promise<SessionRow[]> = Promise.resolve([]);

  /** `limit`: sessions kept, the oldest go. `interval`: the least time between two writes of a session, in ms. */
  constructor(
    private readonly folder: string,
    private readonly log: Log,
    private readonly limit = 500,
    private readonly interval = 1000,
  ) {
    const tell = (id: string) => {
      if (this.changedElsewhere(id) || this.isGone(id)) this.changed.fire(id);
    };
    this.watcher = new SessionWatch(folder, tell, log);
  }

  /** Resolves when changes from now on are told. */
  watch(): Promise<void> {
    return this.watcher.start();
  }

  /** Kept at once, written within `interval`: a first change immediately, those that follow together. */
  save(session: Session): void {
    this.pending.set(session.id, session);
    if (this.timers.has(session.id)) return;
    const due = (this.writtenAt.get(session.id) ?? 0) + this.interval - Date.now();
    const write = () => {
      this.timers.delete(session.id);
      void this.write(session.id);
    };
    this.timers.set(session.id, setTimeout(write, Math.max(0, due)));
  }

  /** Writes what is still to be written, of one session or of all. */
  async flush(id?: string): Promise<void> {
    const ids = id === undefined ? [...this.pending.keys()] : [id];
    await Promise.all(
      ids.map((one) => {
        clearTimeout(this.timers.get(one));
        this.timers.delete(one);
        return this.write(one);
      }),
    );
    // What a new session drove over the limit is deleted by then, too.
    await Promise.allSettled([this.listing]);
  }

  /** Undefined when there is none (any more), or when its file is damaged and was set aside. An answer in it has ended. */
  async load(id: string): Promise<Session | undefined> {
    const session = await this.loadLive(id);
    return session && recovered(session);
  }

  /** As `load`; an answer that another window or tab is writing just now goes on. */
  async loadLive(id: string): Promise<Session | undefined> {
    if (!SESSION_ID.test(id)) return undefined;
    const pending = this.pending.get(id);
    if (pending) return pending;
    const read = await this.read(id);
    if (!read) return undefined;
    this.seen.set(id, read.stamp);
    return Date.now() - read.writtenAt < SILENT_MS ? read.session : recovered(read.session);
  }

  /** Whether another window has deleted this session since this one read or wrote it. */
  isGone(id: string): boolean {
    if (!this.seen.has(id) || this.pending.has(id) || this.writing.has(id)) return false;
    return statSync(this.path(id), { throwIfNoEntry: false }) === undefined;
  }

  /** Whether another window has written this session since this one read or wrote it. */
  changedElsewhere(id: string): boolean {
    const seen = this.seen.get(id);
    if (seen === undefined || this.pending.has(id) || this.writing.has(id)) return false;
    const found = statSync(this.path(id), { throwIfNoEntry: false });
    return found !== undefined && stampOf(found) !== seen;
  }

  async delete(id: string): Promise<void> {
    if (!SESSION_ID.test(id)) return;
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.pending.delete(id);
    await this.writing.get(id);
    await rm(this.path(id), { force: true });
    for (const map of [this.seen, this.texts, this.writtenAt]) map.delete(id);
  }

  /** All sessions, those that are pinned first, then the newest. */
  rows(): Promise<SessionRow[]> {
    // One after the other: one that began before a change would not show it.
    const list = () => this.list();
    this.listing = this.listing.then(list, list);
    return this.listing;
  }

  /** Those that hold all words of the query, the newest first, with an excerpt. An empty query finds all. */
  async search(query: string): Promise<SessionRow[]> {
    const words = wordsOf(query);
    const rows = await this.rows();
    if (words.length === 0) return rows;
    const found = await inGroups(rows, async (row) => {
      const text = await this.textOf(row.id);
      const where = text && excerpt(text, words);
      return where === undefined ? [] : [{ ...row, excerpt: where }];
    });
    return found.flat();
  }

  dispose(): void {
    this.watcher.dispose();
    void this.flush();
    this.failed.dispose();
    this.changed.dispose();
  }

  private path(id: string): string {
    return join(this.folder, `${id}.json`);
  }

  private write(id: string): Promise<void> {
    const before = this.writing.get(id) ?? Promise.resolve();
    const now = before
      .then(() => this.writePending(id))
      .finally(() => {
        if (this.writing.get(id) === now) this.writing.delete(id);
      });
    this.writing.set(id, now);
    return now;
  }

  private async writePending(id: string): Promise<void> {
    const session = this.pending.get(id);
    if (!session) return;
    this.writtenAt.set(id, Date.now());
    try {
      await mkdir(this.folder, { recursive: true });
      const stamp = await writeWhole(this.path(id), encodeSession(session));
      const isNew = !this.seen.has(id);
      this.seen.set(id, stamp);
      if (this.pending.get(id) === session) this.pending.delete(id);
      // Listing drops what is over the limit.
      if (isNew)
        void this.rows().catch((error: unknown) => this.log.error(`Could not list the chats: ${String(error)}`));
    } catch (error) {
      this.log.error(`Could not write the chat ${id}: ${String(error)}`);
      this.failed.fire(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private async read(id: string): Promise<{ session: Session; stamp: string; writtenAt: number } | undefined> {
    let read: { text: string; stamp: string; writtenAt: number };
    try {
      read = await readStamped(this.path(id));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    try {
      return { session: decodeSession(read.text, id), stamp: read.stamp, writtenAt: read.writtenAt };
    } catch (error) {
      if (error instanceof NewerSession) {
        this.log.warn(
          `The chat ${id} was written by a later version of the extension (${error.message}); it is left alone.`,
        );
        return undefined;
      }
      if (!(error instanceof DamagedSession)) throw error;
      await rename(this.path(id), `${this.path(id)}.broken`);
      this.log.warn(`The chat ${id} can't be read, ${error.message}; its file is kept as ${id}.json.broken.`);
      return undefined;
    }
  }

  private async list(): Promise<SessionRow[]> {
    const names = await this.names();
    const index = (this.index ??= await readIndex(this.folder, this.log));
    let changed = false;
    const stamps = await Promise.all(names.map(async (id) => [id, await this.stamp(id)] as const));
    const unknown = stamps.filter(([id, stamp]) => stamp !== undefined && index.get(id)?.stamp !== stamp);
    await inGroups(unknown, async ([id]) => {
      const entry = await this.indexed(id);
      if (entry) index.set(id, entry);
      else index.delete(id);
      changed = true;
    });
    const present = new Set(stamps.filter(([, stamp]) => stamp !== undefined).map(([id]) => id));
    for (const id of [...index.keys()]) {
      if (present.has(id)) continue;
      index.delete(id);
      this.texts.delete(id);
      changed = true;
    }
    const rows = new Map([...index].map(([id, { row }]) => [id, row]));
    for (const [id, session] of this.pending) rows.set(id, rowOf(session));
    const sorted = [...rows.values()].sort(inList);
    for (const { id } of sorted.slice(this.limit)) {
      if (this.pending.has(id)) continue;
      this.log.info(`The chat ${id} goes: the newest ${this.limit} are kept.`);
      await this.delete(id);
      index.delete(id);
      changed = true;
    }
    if (changed) await writeIndex(this.folder, index, this.log);
    return sorted.slice(0, this.limit);
  }

  /** Ids of the files. Half-written ones that a crash left long ago are removed. */
  private async names(): Promise<string[]> {
    let names: string[];
    try {
      names = await readdir(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
    for (const name of names.filter((one) => one.endsWith(".tmp"))) {
      const path = join(this.folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
    return names.flatMap((name) => {
      const id = FILE.exec(name)?.[1];
      return id !== undefined && SESSION_ID.test(id) ? [id] : [];
    });
  }

  private async stamp(id: string): Promise<string | undefined> {
    try {
      return stampOf(await stat(this.path(id)));
    } catch (error) {
      // Another window deleted it just now.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  private async indexed(id: string): Promise<Indexed | undefined> {
    try {
      const read = await this.read(id);
      return read && { stamp: read.stamp, row: rowOf(read.session) };
    } catch (error) {
      this.log.error(`Could not read the chat ${id}: ${String(error)}`);
      return undefined;
    }
  }

  private async textOf(id: string): Promise<Searchable | undefined> {
    const pending = this.pending.get(id);
    if (pending) return searchable(pending);
    const stamp = this.index?.get(id)?.stamp;
    const known = this.texts.get(id);
    if (known && known.stamp === stamp) return known.text;
    const read = await this.read(id);
    if (!read) return undefined;
    const text = searchable(read.session);
    this.texts.set(id, { stamp: read.stamp, text });
    return text;
  }
}

/** Pinned ones come first, and so are never the ones that go. */
function inList(a: SessionRow, b: SessionRow): number {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  return a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0;
}

/** Some at a time: one by one each would wait for the disk, all at once would take too many open files. */
async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += READ_TOGETHER) {
    results.push(...(await Promise.all(items.slice(start, start + READ_TOGETHER).map(work))));
  }
  return results;
}
