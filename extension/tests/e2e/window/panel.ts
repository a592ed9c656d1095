import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";

import { violations } from "../harness/axe.ts";
import { lastRequest, passagesIn } from "../harness/modelLog.ts";
import { Panel } from "../harness/panel.ts";
import { PATIENCE_MS, until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

let panel: Panel;

suite("the chat panel", () => {
  beforeAll(async () => {
    panel = await Panel.ready(editor.window);
  });

  test("is opened by its key, and takes what is typed at once", async () => {
    const { page, bridge } = editor.window;
    await bridge.execute("workbench.view.explorer");
    await page.locator(".explorer-folders-view .monaco-list").first().click();
    await page.keyboard.press("Control+Alt+R");
    const hasFocus = (): Promise<boolean> =>
      panel.composer.evaluate((field) => document.hasFocus() && document.activeElement === field);
    await until("the question has the focus", hasFocus);
    await page.keyboard.type("leases");
    await until("it is written there", async () => (await panel.composer.inputValue()) === "leases");
    await panel.composer.press("Escape");
    await panel.composer.fill("");
  });

  test("answers from passages that it shows, with citations as chips", async () => {
    const answer = await panel.ask(QUESTIONS.english.text);
    const passages = passagesIn(lastRequest(editor.server.modelLog));
    expect(passages.map((passage) => passage.source)).toContain(QUESTIONS.english.source);
    expect(await panel.frame.getByTestId("message-user").last().innerText()).toContain(QUESTIONS.english.text);
    expect(await answer.getByTestId("citation").count()).toBeGreaterThan(0);
    expect(await answer.getByTestId("passage").count()).toBe(passages.length);
    const [text, strip] = await Promise.all([".markdown", ".passages"].map((part) => answer.locator(part).first().boundingBox()));
    expect(text && strip && text.y + text.height <= strip.y).toBe(true);
    const card = answer.locator(".passage-card").filter({ hasText: QUESTIONS.english.source.split("/").at(-1) ?? "" });
    expect(await card.locator("mark.bears-out").count()).toBeGreaterThan(0);
    await panel.screenshot("panel-answer");
  });

  test("a chip shows its passage, and a click opens the file at the passage's lines", async () => {
    const given = passagesIn(lastRequest(editor.server.modelLog));
    const chip = panel.lastAnswer.getByTestId("citation").first();
    const number = Number(await chip.innerText());
    const passage = given.find(({ id }) => id === number);
    const name = passage?.source.split("/").at(-1) ?? "no such passage";
    await chip.hover();
    const shown = panel.frame.locator("#passage-card").filter({ hasText: name });
    await shown.waitFor({ state: "visible" });
    expect(await shown.locator("mark.bears-out").count()).toBeGreaterThan(0);
    await chip.click();
    await editor.window.page.locator(".tab.active").filter({ hasText: name }).waitFor();
    const first = Number(/lines? (\d+)/.exec(passage?.place ?? "")?.[1]);
    await expect.poll(async () => (await editor.window.bridge.activeEditor())?.line, { timeout: PATIENCE_MS }).toBe(first);
  });

  test("an answer streams, and stops when told to", async () => {
    await panel.choose("model", "RAG test slow");
    await panel.send(QUESTIONS.english.text);
    await until("the answer streams", async () => (await panel.lastAnswer.innerText()).includes("piece 3 "));
    expect(await panel.lastAnswer.getAttribute("data-state")).toBe("answering");
    await panel.frame.getByTestId("stop").click();
    await panel.finished();
    expect(await panel.lastAnswer.getAttribute("data-state")).toBe("stopped");
    const text = await panel.lastAnswer.innerText();
    expect(text).toContain("piece 3 ");
    expect(text).not.toContain("piece 200");
    await panel.choose("model", "RAG test echo");
  });

  test("what the passages do not bear out is marked, and a citation that was never given is taken out", async () => {
    await panel.choose("model", "RAG test inventor");
    const answer = await panel.ask(QUESTIONS.english.text);
    expect(await answer.innerText()).toContain("purple engine");
    expect(await answer.innerText()).not.toContain("[99]");
    expect(await answer.getByTestId("citation").filter({ hasText: "99" }).count()).toBe(0);
    expect(await answer.locator(".unsupported").allInnerTexts()).toContain("It was opened by a dancing bear in 1850.");
    expect(await answer.locator(".unsupported-mark").count()).toBeGreaterThan(0);
    await panel.choose("model", "RAG test echo");
  });

  test("a file that is dropped is read, and questions about it are answered", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "rag-drop-")), "cafeteria.md");
    const drawing = "```mermaid\nflowchart LR\n  Zucchini --> Dough --> Pancake\n```\n";
    writeFileSync(
      path,
      `# Cafeteria\n\nThe cafeteria of the Nagoya office serves zucchini pancakes on every second Thursday.\n\n${drawing}`,
    );
    await panel.drop(path);
    const card = panel.frame.getByTestId("ingest").filter({ hasText: "cafeteria.md" });
    await until("the file is read", async () => (await card.getAttribute("data-state")) === "done");
    const answer = await panel.ask("When are there zucchini pancakes in Nagoya?");
    expect(passagesIn(lastRequest(editor.server.modelLog)).map(({ source }) => source)).toContain("cafeteria.md");
    expect(await answer.innerText()).toContain("every second Thursday");
  });

  test("a drawing of what is cited stands below the answer, and is enlarged by its button", async () => {
    const drawing = panel.lastAnswer.locator(".answer-picture .diagram svg");
    await drawing.waitFor();
    const isWhole = (svg: Element) => svg.getBoundingClientRect().width <= (svg.parentElement?.clientWidth ?? 0);
    expect(await drawing.evaluate(isWhole)).toBe(true);
    await panel.lastAnswer.getByRole("button", { name: "Enlarge diagram" }).click();
    const whole = panel.frame.getByRole("dialog", { name: "Diagram" });
    await whole.locator("svg").waitFor();
    await panel.screenshot("panel-diagram");
    await editor.window.page.keyboard.press("Escape");
    await whole.waitFor({ state: "detached" });
  });

  test("what is typed is completed and found before it is sent, by keys alone", async () => {
    const list = panel.frame.getByTestId("typeahead");
    await panel.composer.focus();
    await panel.composer.pressSequentially("zucchini panc", { delay: 20 });
    const passage = list.getByRole("group", { name: "Passages" }).getByRole("option").filter({ hasText: "cafeteria.md" });
    await passage.waitFor({ state: "visible" });
    await panel.composer.fill("");
    await panel.composer.pressSequentially("cafet", { delay: 20 });
    const suggestion = list
      .getByRole("group", { name: "Suggestions" })
      .getByRole("option")
      .filter({ hasText: "Cafeteria" })
      .first();
    await suggestion.waitFor({ state: "visible" });
    expect(await violations(panel.frame, "sideBar-background")).toEqual([]);
    await panel.composer.press("ArrowDown");
    expect(await panel.composer.getAttribute("aria-activedescendant")).toBe("typeahead-0");
    await panel.screenshot("panel-typeahead");
    await panel.composer.press("Enter");
    expect(await panel.composer.inputValue()).toBe("Cafeteria");
    await panel.composer.press("Escape");
    await list.waitFor({ state: "hidden" });
    await panel.composer.fill("");
  });

  test("without a model the passages are the answer", async () => {
    await panel.choose("model", "No model: passages only");
    const answer = await panel.ask(QUESTIONS.japanese.text);
    expect(await answer.getByTestId("passage").count()).toBeGreaterThan(0);
    expect(await answer.locator(`button[title="${QUESTIONS.japanese.source}"]`).count()).toBeGreaterThan(0);
  });

  test("what was said is there again after a reload of the window", async () => {
    const questions = await panel.frame.getByTestId("message-user").allInnerTexts();
    const title = await panel.frame.getByTestId("history").innerText();
    await editor.window.reload();
    panel = await Panel.ready(editor.window);
    await until("the session is shown", async () => (await panel.frame.getByTestId("message-user").count()) === questions.length);
    expect(await panel.frame.getByTestId("message-user").allInnerTexts()).toEqual(questions);
    expect(await panel.frame.getByTestId("history").innerText()).toBe(title);
  });

  test("earlier chats are found by their words", async () => {
    await editor.window.command("RAG Assistant: New Chat");
    await until("the chat is empty", async () => (await panel.answers.count()) === 0);
    await panel.frame.getByTestId("history").getByRole("button").first().click();
    await panel.frame.getByRole("searchbox").fill("zucchini");
    await panel.frame.locator(".history-open").filter({ hasText: "zucchini" }).first().click();
    await until("the earlier chat is shown", async () => (await panel.answers.count()) > 0);
  });
});
