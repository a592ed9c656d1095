/** What docs/editor-review.md shows: the state of each finding, and the part of the window that matters. In this order. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";

import { Chat } from "./harness/chat.ts";
import { daemonApi, daemonReady } from "./harness/daemon.ts";
import type { Editor } from "./harness/editor.ts";
import { Panel } from "./harness/panel.ts";
import { signal } from "./harness/processes.ts";
import { until } from "./harness/wait.ts";
import { QUESTIONS } from "./questions.ts";

type Show = (editor: Editor) => Promise<readonly Locator[]>;

const CAFETERIA = `# Cafeteria

The cafeteria of the Nagoya office serves zucchini pancakes on every second Thursday.

\`\`\`mermaid
flowchart LR
  Zucchini --> Dough --> Pan --> Pancake --> Plate --> Thursday
\`\`\`
`;

function part(editor: Editor, name: "sidebar" | "editor" | "auxiliarybar" | "statusbar"): Locator {
  return editor.window.page.locator(`.part.${name}`);
}

async function chat(editor: Editor): Promise<Chat> {
  const view = new Chat(editor.window);
  await view.open();
  await view.startAnew();
  return view;
}

export const PICTURES: Record<string, Show> = {
  async "rare-word"(editor) {
    await editor.window.widenSideBar(400);
    const panel = await Panel.newChat(editor.window);
    const answer = await panel.ask("Please tell me something about argon");
    await answer.locator(".markdown").first().scrollIntoViewIfNeeded();
    return [panel.frame.locator("body")];
  },

  async "support-marks"(editor) {
    await editor.window.bridge.execute("workbench.action.closeAllEditors");
    const panel = await Panel.newChat(editor.window);
    await panel.choose("model", "RAG test inventor");
    const answer = await panel.ask(QUESTIONS.english.text);
    for (const name of ["Not helpful", "Helpful"]) await answer.getByRole("button", { name, exact: true }).click();
    await panel.choose("model", "RAG test echo");
    await answer.locator(".markdown").first().scrollIntoViewIfNeeded();
    return [panel.frame.locator("body")];
  },

  async filters(editor) {
    await editor.setTheme("light");
    const panel = await Panel.newChat(editor.window);
    const button = panel.frame.getByRole("button", { name: /^Filters/ });
    await button.click();
    await panel.frame.getByRole("button", { name: "PDF", exact: true }).click();
    await panel.frame.getByRole("button", { name: "Done" }).click();
    await button.click();
    await panel.frame.getByRole("button", { name: "Clear Filters" }).click();
    await panel.frame.getByRole("button", { name: "Filters", exact: true }).click();
    await panel.frame.locator(".filters").waitFor();
    await until("no filter is left", async () => (await panel.frame.locator(".filters [aria-pressed=true]").count()) === 0);
    return [panel.frame.locator("body")];
  },

  async "edit-question"(editor) {
    await editor.setTheme("dark");
    const panel = await Panel.newChat(editor.window);
    await panel.ask(QUESTIONS.english.text);
    await panel.composer.focus();
    await editor.window.page.keyboard.press("ArrowUp");
    await until("the last question is edited", async () => (await panel.frame.locator("textarea").count()) > 1);
    return [panel.frame.locator("body")];
  },

  async "drawing-narrow"(editor) {
    const { window, server } = editor;
    const panel = await Panel.newChat(editor.window);
    const path = join(server.folder, "cafeteria.md");
    writeFileSync(path, CAFETERIA);
    await panel.drop(path);
    const card = panel.frame.getByTestId("ingest").filter({ hasText: "cafeteria.md" });
    await until("the file is read", async () => (await card.getAttribute("data-state")) === "done");
    await window.widenSideBar(300);
    const answer = await panel.ask("When are there zucchini pancakes in Nagoya?");
    await answer.locator(".answer-picture .diagram svg").scrollIntoViewIfNeeded();
    return [panel.frame.locator("body")];
  },

  async tree(editor) {
    const { window } = editor;
    await Panel.ready(window);
    await window.bridge.execute("workbench.action.closeAllEditors");
    await window.widenSideBar(400);
    await window.page.locator(".part.sidebar .pane-header").filter({ hasText: /^Chat/ }).click(); // more room for the tree
    await window.bridge.execute("ragAssistant.collections.focus");
    await window.treeRow(/^samples/).click();
    await window.treeRow(/^guides/).click();
    await window.treeRow("developer-guide.md").waitFor();
    window.bridge.begin("ragAssistant.findDocument");
    const list = window.page.locator(".quick-input-widget:visible");
    await list.locator("input").first().fill("ja");
    await list.locator(".monaco-list-row").first().waitFor();
    return [part(editor, "sidebar"), list];
  },

  async "participant-empty"(editor) {
    const { window, server } = editor;
    await window.page.keyboard.press("Escape");
    await (
      await daemonApi(server.dataDir)
    )("POST", "/api/collections", { name: "handbook" });
    await window.bridge.setting("ragAssistant.collection", "handbook");
    await (await chat(editor)).ask(`@rag ${QUESTIONS.english.text}`);
    await window.bridge.setting("ragAssistant.collection", "");
    return [part(editor, "auxiliarybar")];
  },

  async "participant-explain"(editor) {
    const view = await chat(editor);
    await view.ask(`@rag ${QUESTIONS.english.text}`);
    await view.ask("@rag /explain");
    return [part(editor, "auxiliarybar")];
  },

  async "daemon-hangs"(editor) {
    const { window, server } = editor;
    await window.bridge.execute("workbench.action.closeAuxiliaryBar");
    await window.bridge.execute("workbench.action.closeAllEditors");
    const panel = await Panel.newChat(editor.window);
    const { pid } = await daemonReady(server.dataDir);
    signal(pid, "SIGSTOP");
    try {
      await panel.ask(QUESTIONS.english.text);
      await window.statusBarItem("RAG").filter({ hasText: "needs attention" }).waitFor();
    } finally {
      signal(pid, "SIGCONT");
    }
    return [part(editor, "sidebar"), part(editor, "statusbar")];
  },
};
