/** The one editor whose window the suites of this folder share: it starts before the first of them and closes after the last. */

import { afterAll, beforeAll, describe } from "vitest";

import { daemonApi } from "../harness/daemon.ts";
import type { Editor } from "../harness/editor.ts";
import { Panel } from "../harness/panel.ts";
import { launchWithSamples } from "../harness/ready.ts";

export let editor: Editor;

beforeAll(async () => {
  editor = await launchWithSamples({ kits: ["models", "agent"], proposedApi: ["rag-test.agent"] });
});

afterAll(async () => {
  await editor.close();
});

/** What a suite leaves behind and the next one does not expect. */
const TIDY = ["workbench.action.closeAllEditors", "workbench.action.closePanel", "notifications.clearAll"];

/** Tests that find the window tidy, and after which it is made tidy again. */
export function suite(name: string, tests: () => void): void {
  describe(name, () => {
    tests();
    afterAll(async () => {
      for (const command of TIDY) await editor.window.bridge.execute(command);
      await Panel.newChat(editor.window);
    });
  });
}

/** Opens a sample document in the viewer, as a link to it does. */
export async function openInViewer(source: string, title: string, place: object = {}): Promise<void> {
  const { page, bridge } = editor.window;
  const api = await daemonApi(editor.server.dataDir);
  const { items } = await api<{ items: { id: string }[] }>("GET", `/api/documents?text=${encodeURIComponent(source)}`);
  await bridge.execute("ragAssistant.openCitation", { doc_id: items[0]?.id, section_path: [], ...place });
  await page.locator(".tab.active").filter({ hasText: title }).waitFor();
  await editor.window.viewer().locator("header h1").filter({ hasText: title }).waitFor();
}
