import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { KIT, VSCE } from "./paths.ts";
import { run } from "./processes.ts";

/** The extensions that only tests install: models to answer, an agent, a language pack, a view that is next to empty. */
export type Kit = "models" | "agent" | "japanese" | "floor";

/** The kit as a VSIX, packed once for each state of its files. */
export async function packKit(kit: Kit): Promise<string> {
  const folder = join(KIT, kit);
  const cache = join(tmpdir(), `rag-assistant-test-kits-${userInfo().uid}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const vsix = join(cache, `${kit}-${fingerprint(folder)}.vsix`);
  if (existsSync(vsix)) return vsix;
  const unfinished = `${vsix}.${process.pid}`;
  const options = ["--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", unfinished];
  await run(process.execPath, [VSCE, "package", ...options], process.env, folder);
  renameSync(unfinished, vsix);
  return vsix;
}

function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) hash.update(name).update("\0").update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 16);
}
