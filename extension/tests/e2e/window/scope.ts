/** What a question is about: ticked in a list, a row of the tree, a selection. */

import { expect, test } from "vitest";

import { Panel } from "../harness/panel.ts";
import { until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, openInViewer, suite } from "./shared.ts";

suite("what is asked", () => {
  test("a document that is ticked is the only one that answers, and stays chosen with the chat", async () => {
    const { window } = editor;
    const panel = await Panel.newChat(window);
    await panel.frame.getByTestId("choose-scope").click();
    const list = window.page.locator(".quick-input-widget:visible");
    await list.locator("input[type=text]").fill("architecture-whitepaper");
    await list.locator(".monaco-list-row").filter({ hasText: "architecture-whitepaper.pdf" }).click();
    await list.getByRole("button", { name: "OK" }).click();
    const chips = panel.frame.getByTestId("scope");
    await chips.getByText("architecture-whitepaper.pdf").waitFor();
    const answer = await panel.ask(QUESTIONS.english.text);
    const asked = panel.frame.getByTestId("asked-scope").last();
    expect(await asked.innerText()).toContain("architecture-whitepaper.pdf");
    expect(await answer.innerText()).not.toContain("runbook-failover");
    await panel.screenshot("scope-document");
    await window.reload();
    // It may bring back a tab that was closed shortly before, and a chat in it would be asked by the menus below.
    await window.bridge.execute("workbench.action.closeAllEditors");
    const again = await Panel.ready(window);
    expect(await again.frame.getByTestId("scope").innerText()).toContain("architecture-whitepaper.pdf");
    await again.frame.getByTestId("scope").getByRole("button").click();
    expect(await again.frame.getByTestId("scope").count()).toBe(0);
  });

  test("a guide to a collection opens from the tree: topics, and questions that are asked by a click", async () => {
    const { window } = editor;
    const panel = await Panel.ready(window);
    await window.chooseInMenu(window.treeRow("samples"), "Show Guide");
    await panel.frame.getByTestId("scope").getByText("samples").waitFor();
    const suggested = panel.frame.getByTestId("guide").getByTestId("suggested").getByRole("button");
    await suggested.first().waitFor();
    await panel.screenshot("guide-collection");
    const text = await suggested.first().innerText();
    await suggested.first().click();
    await panel.finished();
    expect(await panel.frame.getByTestId("message-user").last().innerText()).toContain(text);
    expect(await panel.lastAnswer.getByTestId("citation").count()).toBeGreaterThan(0);
    await panel.screenshot("guide-followups");
    await panel.frame.getByTestId("scope").getByRole("button").click();
  });

  test("a row of the tree is asked about by its menu", async () => {
    const { window } = editor;
    const panel = await Panel.newChat(window);
    await window.chooseInMenu(window.treeRow("samples"), "Ask About This");
    await panel.frame.getByTestId("scope").getByText("samples").waitFor();
    await panel.frame.getByTestId("scope").getByRole("button").click();
  });

  test("a folder of the explorer is asked about by its menu, and answers alone", async () => {
    const { window } = editor;
    const panel = await Panel.newChat(window);
    await window.bridge.execute("workbench.view.explorer");
    const folder = window.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: "operations" }).first();
    await window.chooseInMenu(folder, "Ask About This");
    await Panel.ready(window);
    await panel.frame.getByTestId("scope").getByText("operations/").waitFor();
    const answer = await panel.ask(QUESTIONS.english.text);
    const shown = await answer.locator(".passage-open").evaluateAll((all) => all.map((one) => one.getAttribute("title") ?? ""));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((source) => !source.startsWith("operations/"))).toEqual([]);
    await panel.screenshot("scope-folder");
    await panel.frame.getByTestId("scope").getByRole("button").click();
  });

  test("the document in the viewer has its guide, and is asked about, by the buttons of its tab", async () => {
    const { window } = editor;
    await openInViewer(QUESTIONS.pdf.source, QUESTIONS.pdf.title);
    const button = (name: string) => window.page.locator(".editor-actions").getByRole("button", { name });
    await button("Show Guide").click();
    const panel = await Panel.ready(window);
    const guide = panel.frame.getByTestId("guide");
    await guide.locator(".guide-outline summary").click();
    expect(await guide.locator(".guide-outline li").count()).toBeGreaterThan(3);
    expect((await guide.locator(".guide-summary").innerText()).length).toBeGreaterThan(40);
    expect(await guide.getByTestId("suggested").getByRole("button").count()).toBeGreaterThan(1);
    await panel.screenshot("guide-document");
    await Panel.newChat(window);
    await panel.frame.getByTestId("scope").getByRole("button").click();
    await button("Ask About This").click();
    await panel.frame.getByTestId("scope").getByText(QUESTIONS.pdf.title).waitFor();
    await panel.frame.getByTestId("scope").getByRole("button").click();
  });

  test("a selection goes along as a chip: the model reads it, the search does not", async () => {
    const { window } = editor;
    const panel = await Panel.newChat(window);
    // What earlier tests opened would be taken for the citation's file.
    await window.bridge.execute("workbench.action.closeAllEditors");
    const { text } = QUESTIONS.english;
    await (await panel.ask(text)).getByTestId("citation").first().click();
    // The citation's own selection comes after its file.
    await until("the cited lines are chosen", async () => ((await window.bridge.activeEditor())?.line ?? 0) > 1);
    await window.bridge.execute("editor.action.selectAll");
    await window.bridge.execute("ragAssistant.ask");
    await panel.frame.getByTestId("scope").waitFor();
    expect(await panel.composer.inputValue()).toBe("");
    const answer = await panel.ask("Is this still right?");
    expect(await panel.frame.getByTestId("asked-scope").last().innerText()).toMatch(/lines 1–\d+/);
    expect(await answer.getAttribute("data-state")).toBe("done");
    expect(await panel.frame.getByTestId("scope").count()).toBe(0);
    await panel.screenshot("scope-selection");
  });
});
