import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Chat } from "../harness/chat.ts";
import { daemonReady } from "../harness/daemon.ts";
import { lastRequest, passagesIn } from "../harness/modelLog.ts";
import { Panel } from "../harness/panel.ts";
import { transportUnderTest } from "../harness/paths.ts";
import { until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

/** How often the daemon answered this address, by its own log. */
function answered(path: string): number {
  const lines = readFileSync(join(editor.server.dataDir, "logs", "daemon.jsonl"), "utf8").split("\n");
  return lines.filter((line) => line.includes(`"path": "${path}"`) && line.includes('"status": 200')).length;
}

/** Set how the extension talks to its daemon; another one starts where that changes. */
async function use(transport: "rest" | "mcp"): Promise<void> {
  const { pid } = await daemonReady(editor.server.dataDir);
  await editor.window.bridge.setting("ragAssistant.transport", transport);
  await until("another daemon runs", async () => (await daemonReady(editor.server.dataDir)).pid !== pid);
}

suite("with the transport mcp", () => {
  beforeAll(async () => {
    if (transportUnderTest() === "rest") await use("mcp");
    await editor.window.reload(); // as a window that opens with this setting
  });

  afterAll(async () => {
    if (transportUnderTest() === "mcp") await use("mcp");
  });

  test("the check of the panel's answer goes by /mcp, and its answer has its passages and citations", async () => {
    const panel = await Panel.ready(editor.window);
    const before = answered("/mcp");
    const answer = await panel.ask(QUESTIONS.japanese.text);
    expect(await answer.getAttribute("data-state")).toBe("done");
    expect(await answer.getByTestId("passage").count()).toBeGreaterThan(0);
    await until("the daemon's log tells of /mcp", () => answered("/mcp") > before);
    await editor.window.screenshot("transport-mcp-panel");
  });

  test("a question to @rag does so, too, and its passages reach the model", async () => {
    const chat = new Chat(editor.window);
    await chat.open();
    const before = answered("/mcp");
    await chat.ask(`@rag ${QUESTIONS.english.text}`);
    expect(passagesIn(lastRequest(editor.server.modelLog)).map(({ source }) => source)).toContain(QUESTIONS.english.source);
    await until("the daemon's log tells of /mcp", () => answered("/mcp") > before);
  });

  test("a file is added from the explorer, though no folder is set for agents", async () => {
    const { window } = editor;
    await window.bridge.execute("notifications.clearAll");
    await window.bridge.execute("workbench.view.explorer");
    const row = (name: string) =>
      window.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: name }).first();
    await row("code").click();
    await window.chooseInMenu(row("kestrel.yaml"), "Add to RAG Knowledge Base");
    await window.page.locator(".quick-input-title:visible").filter({ hasText: "Add to Which Collection?" }).waitFor();
    await window.pick("default");
    await window.notification(/1 added/);
  });

  test("the button “Use REST” changes the setting, and the window goes over to a daemon without MCP", async () => {
    const { pid } = await daemonReady(editor.server.dataDir);
    await editor.window.bridge.execute("ragAssistant.useRest");
    await until("another daemon runs", async () => (await daemonReady(editor.server.dataDir)).pid !== pid);
    const panel = await Panel.ready(editor.window);
    const before = { mcp: answered("/mcp"), prompt: answered("/api/prompt") };
    const answer = await panel.ask(QUESTIONS.english.text);
    expect(await answer.getByTestId("passage").count()).toBeGreaterThan(0);
    await until("the daemon's log tells of /api/prompt", () => answered("/api/prompt") > before.prompt);
    expect(answered("/mcp")).toBe(before.mcp);
  });
});
