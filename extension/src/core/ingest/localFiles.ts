/** Files read here, for a daemon on another machine that can't read them itself. */

import { readFile, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";

import * as l10n from "@vscode/l10n";

import type { UploadFile } from "../client/daemonClient";
import { RagError } from "../common/errors";
import { MOST_BYTES } from "./uploadBatches";

const SKIPPED = new Set(["node_modules", "__pycache__"]);

/** Files, and those in folders and below; hidden ones in folders are left out. Throws `RagError` PAYLOAD_TOO_LARGE. */
export async function readLocalFiles(paths: string[], mostBytes = MOST_BYTES): Promise<UploadFile[]> {
  const found: { path: string; size: number }[] = [];
  for (const path of paths) await collect(path, found);
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  if (found.length === 0) throw new RagError("EMPTY", l10n.t("There are no files here."));
  if (bytes > mostBytes) {
    throw new RagError(
      "PAYLOAD_TOO_LARGE",
      l10n.t("These files are larger than {0} MB together.", Math.round(mostBytes / 1024 / 1024)),
      l10n.t("The daemon runs on another machine, so that they must be sent to it. Choose fewer files at a time."),
    );
  }
  const files: UploadFile[] = [];
  for (const { path } of found) files.push({ name: basename(path), bytes: await readFile(path) });
  return files;
}

async function collect(path: string, found: { path: string; size: number }[]): Promise<void> {
  const info = await stat(path);
  if (info.isFile()) found.push({ path, size: info.size });
  if (!info.isDirectory()) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const isWanted = !entry.name.startsWith(".") && !SKIPPED.has(entry.name);
    // A link could lead out of the folder, or round in a circle.
    if (isWanted && !entry.isSymbolicLink()) await collect(join(path, entry.name), found);
  }
}
