/** A session as a file: written whole or not at all, and checked when it is read. */

import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import type { Message, Session } from "../../protocol/session";

const FORMAT = 1;
const STATES = ["searching", "answering", "done", "stopped", "failed"];

/** The file can't be a session of ours. */
export class DamagedSession extends Error {}

/** A later version of the extension wrote it. */
export class NewerSession extends Error {}

export function encodeSession(session: Session): string {
  return JSON.stringify({ format: FORMAT, ...session });
}

/** Throws `DamagedSession` or `NewerSession`. */
export function decodeSession(text: string, id: string): Session {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DamagedSession(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isRecord(value)) throw new DamagedSession("it holds no session");
  if (typeof value["format"] === "number" && value["format"] > FORMAT)
    throw new NewerSession(`format ${value["format"]}`);
  const { format, ...session } = value;
  if (format !== FORMAT || session["id"] !== id || !hasText(session, "title", "createdAt", "updatedAt")) {
    throw new DamagedSession("its head is incomplete");
  }
  const { messages } = session;
  if (!Array.isArray(messages) || !messages.every(isMessage)) throw new DamagedSession("a message is incomplete");
  return session as unknown as Session;
}

function isMessage(value: unknown): value is Message {
  if (!isRecord(value) || !hasText(value, "id", "text", "at") || !isRecord(value["options"])) return false;
  if (value["role"] === "user") return true;
  const lists = ["notices", "citations", "support"].every((name) => Array.isArray(value[name]));
  return value["role"] === "assistant" && lists && STATES.includes(value["state"] as string);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasText(value: Record<string, unknown>, ...names: string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

/** Says which content a file has, without reading it: another one after each write. */
export function stampOf(stat: { mtimeMs: number; size: number; ino: number }): string {
  return `${stat.mtimeMs}-${stat.size}-${stat.ino}`;
}

/** A file's text, its stamp, and when it was written (ms), of the same moment. */
export async function readStamped(path: string): Promise<{ text: string; stamp: string; writtenAt: number }> {
  const file = await open(path, "r");
  try {
    const found = await file.stat();
    return { stamp: stampOf(found), writtenAt: found.mtimeMs, text: await file.readFile("utf8") };
  } finally {
    await file.close();
  }
}

/** Writes beside the file, then puts it in its place: whoever reads finds the old text or the new one. Returns the stamp. */
export async function writeWhole(path: string, text: string): Promise<string> {
  const beside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(beside, "wx", 0o600);
    let stamp: string;
    try {
      await file.writeFile(text, "utf8");
      // A name that points to unwritten blocks after a power cut would be a lost session.
      await file.sync();
      stamp = stampOf(await file.stat());
    } finally {
      await file.close();
    }
    await replace(beside, path);
    return stamp;
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** On Windows a file that somebody is reading just now, such as a virus scanner, can't be replaced at that moment. */
async function replace(from: string, to: string): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (!["EPERM", "EACCES", "EBUSY"].includes(code) || attempts === 8) throw error;
      await pause(10 * attempts);
    }
  }
}
