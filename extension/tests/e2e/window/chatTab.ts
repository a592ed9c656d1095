import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";

import { violations } from "../harness/axe.ts";
import { Panel } from "../harness/panel.ts";
import { until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

suite("a chat as a tab of the editor", () => {
  let panel: Panel;

  beforeAll(async () => {
    panel = await Panel.ready(editor.window);
    await panel.ask(QUESTIONS.english.text);
  });

  test("shows the chat of the view, and each shows what the other goes on with", async () => {
    await editor.window.command("RAG Assistant: Open Chat in Editor");
    const tab = await Panel.inTab(editor.window);
    await until("the tab shows the answer", async () => (await tab.answers.count()) === 1);
    const said = await panel.lastAnswer.locator(".markdown").innerText();
    expect(await tab.lastAnswer.locator(".markdown").innerText()).toBe(said);
    await editor.window.page
      .locator(".tab.active")
      .filter({ hasText: QUESTIONS.english.text.slice(0, 20) })
      .waitFor();

    await tab.ask(QUESTIONS.pdf.text);
    const ended = async (): Promise<boolean> =>
      (await panel.answers.count()) === 2 && (await panel.lastAnswer.getAttribute("data-state")) === "done";
    await until("the view shows the tab's answer", ended);
    const second = await tab.lastAnswer.locator(".markdown").innerText();
    expect(await panel.lastAnswer.locator(".markdown").innerText()).toBe(second);
    expect(await violations(tab.frame, "editor-background")).toEqual([]);
    await editor.window.screenshot("chat-tab");
  });

  test.each(["md", "html"])("is exported as .%s, with citations that lead to their sources", async (format) => {
    const { bridge, page } = editor.window;
    const path = join(editor.server.folder, `exported.${format}`);
    bridge.begin("ragAssistant.exportChat", format);
    const dialog = page.locator(".quick-input-widget:visible").filter({ hasText: "Export chat" });
    await dialog.waitFor();
    await editor.window.screenshot(`chat-export-${format}`);
    const name = dialog.locator("input").first();
    // It writes its own proposal when it has listed the folder, over what is there by then.
    await until("a name is proposed", async () => (await name.inputValue()).endsWith(`.${format}`));
    await dialog.locator(".monaco-list-row").first().waitFor();
    await name.fill(path);
    await until(
      "the folder of the name is listed",
      async () => (await dialog.locator(".monaco-list-row").filter({ hasText: "data" }).count()) > 0,
    );
    expect(await name.inputValue()).toBe(path);
    await dialog.getByRole("button", { name: "OK" }).click();
    await until("the file is written", () => existsSync(path) && readFileSync(path, "utf8").includes(QUESTIONS.english.text));
    const text = readFileSync(path, "utf8");
    expect(text).toContain(format === "md" ? "](#source-1-1)" : 'href="#source-1-1"');
    expect(text).toContain('id="source-1-1"');
    expect(text).not.toContain(editor.window.workspace);
    if (format === "html") await editor.window.notification("exported.html");
    else await page.locator(".tab.active").filter({ hasText: "exported.md" }).waitFor();
  });
});
