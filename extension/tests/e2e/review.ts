/**
 * Takes the pictures of docs/editor-review.md in the test editor.
 *
 *     npm run review -- [PICTURE…]
 *
 * RAG_TEST_DATA names a data directory with the sample documents; else they are read first.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { makeSampleData } from "./harness/daemon.ts";
import { Editor } from "./harness/editor.ts";
import { ROOT, SAMPLES, ragExecutable } from "./harness/paths.ts";
import { writeWebp } from "./webp.ts";
import { PICTURES } from "./reviewPictures.ts";

const OUT = join(ROOT, "docs", "images", "review");
const MOST_BYTES = 40_000;

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in PICTURES));
if (unknown !== undefined) {
  console.error(`There is no picture ${unknown}: ${Object.keys(PICTURES).join(", ")}.`);
  process.exit(2);
}

mkdirSync(OUT, { recursive: true });
const made = process.env["RAG_TEST_DATA"] === undefined ? mkdtempSync(join(tmpdir(), "rag-review-data-")) : undefined;
if (made !== undefined) await makeSampleData(made);
const data = made ?? process.env["RAG_TEST_DATA"];
const editor = await Editor.launch({
  size: [1280, 800],
  workspace: SAMPLES,
  settings: { "ragAssistant.server.executable": ragExecutable() },
  ...(data === undefined ? {} : { data }),
});
try {
  await editor.window.bridge.ready();
  for (const [name, show] of Object.entries(PICTURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const around = await show(editor);
    const path = join(OUT, `${name}.webp`);
    await writeWebp(editor.window.page, around, path, MOST_BYTES);
    console.log(path);
  }
} finally {
  await editor.close();
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}
