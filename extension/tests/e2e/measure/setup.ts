/** The set-up, from the button to a panel that takes questions: with empty caches of the installers, and with full ones. */

import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Editor } from "../harness/editor.ts";
import { Panel } from "../harness/panel.ts";
import { ROOT } from "../harness/paths.ts";
import { run } from "../harness/processes.ts";
import { until } from "../harness/wait.ts";
import type { Figures } from "./figures.ts";

const SETUP_MS = 900_000;
/** The largest of the locked packages that every system installs. */
const LARGE_PACKAGE = "onnxruntime";

/** Both times with the times of their steps, and what the package mirror gives; each round has caches of its own. */
export async function measureSetup(rounds: number, figures: Figures): Promise<string[]> {
  const speeds: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const caches = mkdtempSync(join(tmpdir(), "rag-measure-caches-"));
    try {
      speeds.push(await mirrorSpeed());
      await setUp(caches, "empty caches", figures);
      await setUp(caches, "full caches", figures);
    } finally {
      rmSync(caches, { recursive: true, force: true });
    }
  }
  return speeds;
}

async function setUp(caches: string, kind: string, figures: Figures): Promise<void> {
  const env = {
    RAG_MODELS_DIR: undefined,
    PIP_CACHE_DIR: join(caches, "pip"),
    UV_CACHE_DIR: join(caches, "uv"),
  };
  const editor = await Editor.launch({ openNetwork: true, env });
  try {
    await editor.window.bridge.ready();
    const panel = await Panel.open(editor.window);
    await panel.frame.getByTestId("setup").waitFor();
    const steps = new Map<string, number>();
    const begun = Date.now();
    await panel.frame.getByTestId("setup").click();
    const failure = panel.frame.locator(".problem");
    await until(
      "the set-up ends",
      async () => {
        const titles = await panel.frame.locator(".step.running .step-title").allTextContents();
        for (const title of titles) if (!steps.has(title)) steps.set(title, Date.now());
        if (await failure.isVisible()) return true;
        return (await panel.composer.isVisible()) && (await panel.frame.locator("[data-picker=model]").isVisible());
      },
      SETUP_MS,
    );
    if (await failure.isVisible()) throw new Error(`${await failure.innerText()}\n${editor.server.logs()}`);
    const ready = Date.now();
    figures.add(`set-up, ${kind}`, ready - begun);
    const starts = [...steps];
    for (const [index, [title, start]] of starts.entries()) {
      figures.add(`  ${kind}: ${title}`, (starts[index + 1]?.[1] ?? ready) - start);
    }
  } finally {
    await editor.close();
  }
}

/** One large package, fetched by pip without a cache, the look into the index included. */
async function mirrorSpeed(): Promise<string> {
  const lock = readFileSync(join(ROOT, "requirements.lock"), "utf8");
  const pinned = new RegExp(`^${LARGE_PACKAGE}==[^\\s;\\\\]+`, "m").exec(lock)?.[0];
  if (pinned === undefined) throw new Error(`requirements.lock does not pin ${LARGE_PACKAGE}.`);
  const folder = mkdtempSync(join(tmpdir(), "rag-measure-mirror-"));
  try {
    const begun = Date.now();
    await run("python3", ["-m", "pip", "download", "--no-cache-dir", "--no-deps", "--dest", folder, pinned], process.env, folder);
    const seconds = (Date.now() - begun) / 1000;
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    return `${(bytes / 1e6).toFixed(0)} MB of ${pinned} in ${seconds.toFixed(1)} s`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
