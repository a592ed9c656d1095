import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { makeSampleData } from "./daemon.ts";
import { vsixUnderTest } from "./paths.ts";

/** Before all files: the sample documents are read once, and each editor begins with a copy. */
export default async function setup(): Promise<(() => void) | undefined> {
  vsixUnderTest();
  if (process.env["RAG_TEST_DATA"] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "rag-e2e-data-"));
  await makeSampleData(folder);
  process.env["RAG_TEST_DATA"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
