import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { violations } from "../harness/axe.ts";
import { Panel } from "../harness/panel.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

const THEMES = ["light", "high-contrast", "dark"] as const;

suite("the dashboard inside the editor", () => {
  afterAll(async () => {
    await editor.setTheme("dark");
  });

  test("leads from a question that was asked in the panel to the path of its passages", async () => {
    const { window } = editor;
    const panel = await Panel.ready(window);
    await panel.ask(QUESTIONS.pdf.text);
    await window.command("RAG Assistant: Open Dashboard");
    const dashboard = window.viewer();
    await dashboard.getByRole("link", { name: "Questions" }).click();
    await dashboard.getByRole("link", { name: QUESTIONS.pdf.text }).first().click();
    await dashboard.getByRole("heading", { level: 1, name: QUESTIONS.pdf.text }).waitFor();
    expect(await dashboard.locator(".flow [role=option]").count()).toBeGreaterThan(3);
    for (const theme of THEMES) {
      await editor.setTheme(theme);
      expect.soft(await violations(dashboard, "editor-background"), theme).toEqual([]);
      await window.screenshot(`dashboard-${theme}`);
    }
  });

  test("shows a document with the page of its original, and comes back to where it was", async () => {
    const { window } = editor;
    const dashboard = window.viewer();
    await dashboard.getByText("The same as a table").click();
    await dashboard.getByRole("link", { name: /page/ }).first().click();
    await dashboard.getByRole("img", { name: /with the chunk marked/ }).waitFor();
    await window.bridge.execute("workbench.action.files.newUntitledFile");
    await window.command("RAG Assistant: Open Dashboard");
    await window
      .viewer()
      .getByRole("img", { name: /with the chunk marked/ })
      .waitFor();
  });

  test("follows what is being read as it goes on", async () => {
    const { window } = editor;
    const dashboard = window.viewer();
    await dashboard.getByRole("link", { name: "Ingestion" }).click();
    await dashboard.getByRole("heading", { level: 1, name: "Ingestion" }).waitFor();
    const file = join(editor.server.folder, "added-by-hand.md");
    writeFileSync(file, "# Added by hand\n\nThe dashboard follows what is being read.\n");
    await dashboard.getByPlaceholder("Path on the daemon's machine").fill(file);
    await dashboard.getByRole("button", { name: "Add", exact: true }).click();
    await dashboard.getByRole("group", { name: "Done before" }).getByText("added 1").first().waitFor();
    await window.screenshot("dashboard-ingestion");
  });
});
