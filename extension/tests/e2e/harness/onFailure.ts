import { afterEach } from "vitest";

import { Editor } from "./editor.ts";

// What the screen showed and the logs say, beside the assertion that failed.
afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  const name = `failed ${task.name}`.replace(/[^\p{L}\d]+/gu, "-").slice(0, 80);
  for (const editor of Editor.open) console.error(await editor.report(name));
});
