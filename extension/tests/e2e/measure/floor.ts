/** What the editor itself takes to show a view that says one word, by an extension that does nothing else: no view of ours can be sooner. */

import { Editor } from "../harness/editor.ts";
import { SAMPLES } from "../harness/paths.ts";
import type { Figures } from "./figures.ts";
import { atRest, paintedAt, reload } from "./panel.ts";

export async function measureFloor(rounds: number, figures: Figures): Promise<string[]> {
  for (let round = 1; round <= rounds; round += 1) {
    const editor = await Editor.launch({ workspace: SAMPLES, kits: ["models", "floor"], extension: false });
    try {
      const { window } = editor;
      await window.bridge.ready();
      await atRest(window.page);
      const word = window.panel().getByText("Floor");
      const asked = Date.now();
      await window.bridge.execute("ragFloor.view.focus");
      await word.waitFor();
      figures.add("first paint of an empty view", (await paintedAt(word)) - asked);
      const reloaded = await reload(editor, word);
      figures.add("reload to the workbench", reloaded.workbench);
      figures.add("reload to the empty view", reloaded.view);
    } finally {
      await editor.close();
    }
  }
  return [];
}
