import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { daemonReady } from "./harness/daemon.ts";
import { Editor } from "./harness/editor.ts";
import { Panel } from "./harness/panel.ts";
import { until } from "./harness/wait.ts";

const SETUP_MS = 480_000;

let editor: Editor;

beforeAll(async () => {
  // Bare: no model, no environment, no data; the package registry is the only thing that is reached.
  editor = await Editor.launch({ openNetwork: true, env: { RAG_MODELS_DIR: undefined } });
  await editor.window.bridge.ready();
});

afterAll(async () => {
  await editor.close();
});

test("from a bare profile by one button to an answer", { timeout: SETUP_MS + 180_000 }, async () => {
  const panel = await Panel.open(editor.window);
  await panel.frame.getByTestId("setup").click();
  await panel.frame.locator(".step.running").first().waitFor();
  await panel.screenshot("first-run-progress");
  const failure = panel.frame.locator(".problem");
  await until("the set-up ends", async () => (await panel.composer.isVisible()) || (await failure.isVisible()), SETUP_MS);
  if (await failure.isVisible()) throw new Error(`The set-up failed: ${await failure.innerText()}\n${editor.server.logs()}`);
  await panel.takesQuestions();
  await daemonReady(editor.server.dataDir);

  const folder = join(editor.server.folder, "documents");
  mkdirSync(folder);
  const path = join(folder, "parking.md");
  writeFileSync(path, "# Parking\n\nVisitors park on deck 7 of the north garage; the gate code changes every Monday.\n");
  await panel.drop(path);
  const card = panel.frame.getByTestId("ingest").filter({ hasText: "parking.md" });
  await until("the file is read", async () => (await card.getAttribute("data-state")) === "done");

  const answer = await panel.ask("Where do visitors park?");
  expect(await answer.innerText()).toContain("deck 7 of the north garage");
  expect(await answer.getByTestId("citation").count()).toBeGreaterThan(0);
  await panel.screenshot("first-run-answer");
});
