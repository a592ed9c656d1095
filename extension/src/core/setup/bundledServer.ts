/** The daemon that comes with the extension, and what is known of the environment that was made from it. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";

import * as l10n from "@vscode/l10n";

import { RagError } from "../common/errors";
import type { ManagedServer } from "../daemon/serverSpec";

const LOCK = "requirements.lock";
const BOOTSTRAP = path.join("setup", "bootstrap.py");

/** The program that makes the environment, and what it installs. */
export interface BundledServer {
  bootstrap: string;
  version: string;
  /** Differs whenever the wheel or the lock do. */
  fingerprint: string;
}

/** Throws `RagError` (NOT_CARRIED) when the folder lacks something. */
export async function readBundledServer(folder: string): Promise<BundledServer> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  const wheels = names.filter((name) => /^ragd-.*\.whl$/.test(name));
  const [wheel] = wheels;
  if (wheel === undefined || wheels.length > 1 || !names.includes(LOCK) || !existsSync(path.join(folder, BOOTSTRAP))) {
    throw new RagError(
      "NOT_CARRIED",
      l10n.t("This installation of the extension is not whole: {0} should hold the daemon.", folder),
      l10n.t("Install the extension again."),
    );
  }
  const hash = createHash("sha256");
  for (const name of [LOCK, wheel]) hash.update(await readFile(path.join(folder, name)));
  return {
    bootstrap: path.join(folder, BOOTSTRAP),
    version: wheel.split("-")[1] ?? "",
    fingerprint: hash.digest("hex"),
  };
}

interface Entry extends ManagedServer {
  fingerprint: string;
}

/** Remembers a set-up that came to its end, beside the environment. */
export class SetupRecord {
  constructor(
    readonly file: string,
    private readonly serverFolder: string,
  ) {}

  /** What was set up; `new` when nothing was, `updated` when it was for another version of the extension. */
  async read(): Promise<ManagedServer | "new" | "updated"> {
    const entry = await this.entry();
    if (entry === undefined || !existsSync(entry.executable)) return "new";
    const { fingerprint } = await readBundledServer(this.serverFolder);
    return entry.fingerprint === fingerprint ? { executable: entry.executable, version: entry.version } : "updated";
  }

  async write({ fingerprint }: BundledServer, { executable, version }: ManagedServer): Promise<void> {
    const entry: Entry = { fingerprint, executable, version };
    await mkdir(path.dirname(this.file), { recursive: true });
    // Another window may look at it at this moment.
    const unfinished = `${this.file}.${process.pid}`;
    await writeFile(unfinished, JSON.stringify(entry));
    await rename(unfinished, this.file);
  }

  private async entry(): Promise<Entry | undefined> {
    let text: string;
    try {
      text = await readFile(this.file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    try {
      const { fingerprint, executable, version } = JSON.parse(text) as Partial<Entry>;
      const isWhole = [fingerprint, executable, version].every((value) => typeof value === "string");
      return isWhole ? ({ fingerprint, executable, version } as Entry) : undefined;
    } catch {
      return undefined; // damaged: the set-up makes it anew
    }
  }
}
