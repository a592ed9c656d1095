import { expect, test } from "vitest";

import { editor, suite } from "./shared.ts";

/** Ours is 300 ms on a quiet machine; the tests may share theirs with a lot else. */
const MOST_MS = 1_000;

suite("the activation", () => {
  test("takes a moment, by the editor's own clock", async () => {
    await editor.window.command("Developer: Show Running Extensions");
    const row = editor.window.page.locator(".runtime-extensions-editor .extension").filter({ hasText: "RAG Assistant" });
    const shown = await row.locator(".activation-time").first().innerText();
    const milliseconds = Number(/(\d+)\s*ms/.exec(shown)?.[1]);
    console.log(`activation: ${milliseconds} ms`);
    expect(milliseconds).toBeLessThan(MOST_MS);
  });
});
