/** How a first-time user without any language model comes to an answer about a folder of their own, in pictures. */

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EditorOptions } from "./harness/editor.ts";
import { Panel } from "./harness/panel.ts";
import { until } from "./harness/wait.ts";
import type { Window } from "./harness/window.ts";

const SETUP_MS = 480_000;
const FOLDER = "handbook";
const FILES: Record<string, string> = {
  "travel.md": `# Travel

## Booking

Trains are booked by yourself. Flights are booked by the office at least two weeks ahead, economy class up to six hours.

## Expenses

Receipts are handed in within 30 days after the trip. A hotel may cost up to 140 euros a night, breakfast included;
in Munich and Zurich up to 190 euros. What costs more needs the word of your team lead before you book.
`,
  "holidays.md": `# Holidays

Everybody has 30 days a year. Up to five days may be taken over into the next year, until the end of March.
`,
  "parking.md": `# Parking

Visitors park on deck 7 of the north garage. The code of the gate changes every Monday.
`,
};
export const FIRST_QUESTION = "How much may a hotel in Zurich cost?";

/** A workspace with a folder of documents, no model, no environment: the package registry is all that is reached. */
export function firstPathOptions(): EditorOptions {
  const workspace = join(mkdtempSync(join(tmpdir(), "rag-first-")), "work");
  mkdirSync(join(workspace, FOLDER), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(workspace, FOLDER, name), text);
  return { workspace, openNetwork: true, env: { RAG_MODELS_DIR: undefined, TEST_KIT_MODELS: "none" } };
}

/** Takes a picture of each step but the last, which is what is shown then. */
export async function firstPath(window: Window): Promise<void> {
  const panel = await Panel.open(window);
  await panel.frame.getByTestId("setup").waitFor();
  await window.screenshot("first-1-setup");
  await panel.frame.getByTestId("setup").click();
  await panel.takesQuestions(SETUP_MS);

  await window.bridge.execute("notifications.clearAll");
  await window.bridge.execute("workbench.view.explorer");
  const folder = window.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: FOLDER }).first();
  await folder.click({ button: "right" });
  const add = window.page.locator(".monaco-menu .action-item").filter({ hasText: "Add to RAG Knowledge Base" }).first();
  await add.hover();
  await window.screenshot("first-2-add");
  await add.click();
  await window.notification(/3 added/);

  await window.bridge.execute("notifications.clearAll");
  const answering = await Panel.ready(window);
  const answer = await answering.ask(FIRST_QUESTION);
  await answer.getByTestId("citation").first().click();
  await until("the file opens", async () => (await window.bridge.activeEditor()) !== null);
}
