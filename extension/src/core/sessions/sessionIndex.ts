/** The list of sessions as a file, so that listing them does not read them all. */

import { join } from "node:path";

import type { Session, SessionRow } from "../../protocol/session";
import type { Log } from "../common/log";
import { readStamped, writeWhole } from "./sessionFile";

export interface Indexed {
  /** Of the file that the row was made from. */
  stamp: string;
  row: SessionRow;
}

/** Empty when it is missing or damaged: it is made anew then. */
export async function readIndex(folder: string, log: Log): Promise<Map<string, Indexed>> {
  try {
    const { text } = await readStamped(join(folder, "index.json"));
    const rows = Object.entries(JSON.parse(text) as Record<string, Indexed>);
    return new Map(rows.filter(([id, { stamp, row }]) => typeof stamp === "string" && row.id === id));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      log.warn(`The list of chats is made anew: ${String(error)}`);
    return new Map();
  }
}

export async function writeIndex(folder: string, index: ReadonlyMap<string, Indexed>, log: Log): Promise<void> {
  try {
    await writeWhole(join(folder, "index.json"), JSON.stringify(Object.fromEntries(index)));
  } catch (error) {
    log.warn(`Could not write the list of chats; it is made from the files again next time: ${String(error)}`);
  }
}

export function rowOf({ id, title, updatedAt, messages, pinned }: Session): SessionRow {
  return { id, title, updatedAt, messageCount: messages.length, ...(pinned === true ? { pinned } : {}) };
}
