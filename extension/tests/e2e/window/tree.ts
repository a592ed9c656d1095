import { basename, dirname } from "node:path";
import { expect, test } from "vitest";

import { editor, suite } from "./shared.ts";

// In sight without scrolling, as the tree draws no other rows.
const source = "guides/developer-guide.md";

suite("the tree of collections", () => {
  test("has the folders of a collection, and asks for what is in one when it is opened", async () => {
    const { window } = editor;
    await window.bridge.execute("ragAssistant.collections.focus");
    await window.treeRow(/^samples/).click();
    const folder = window.treeRow(new RegExp(`^${dirname(source)}.*documents?`));
    await folder.waitFor();
    expect(await window.treeRow(basename(source)).count()).toBe(0);
    await folder.click();
    await window.treeRow(basename(source)).waitFor();
    await window.screenshot("tree-folders");
  });

  test("finds any document by a part of its path, whatever is open", async () => {
    const { window } = editor;
    await window.command("RAG Assistant: Find Document…");
    // Not into the command palette, which it takes the place of.
    await window.page.locator(".quick-input-title:visible").filter({ hasText: "Find Document" }).waitFor();
    await window.pick(source.slice(4, 20));
    await window.page.getByRole("tab", { name: basename(source) }).waitFor();
  });

  test("has a status bar item that a screen reader can read, without Markdown", async () => {
    const label = await editor.window.statusBarItem("RAG").locator("a[aria-label]").first().getAttribute("aria-label");
    expect(label).toMatch(/is ready/);
    expect(label).not.toMatch(/nbsp|command:|\]\(/);
  });
});
