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
});
