import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";

import { Chat } from "../harness/chat.ts";
import { daemonApi } from "../harness/daemon.ts";
import { lastRequest, modelRequests, passagesIn } from "../harness/modelLog.ts";
import { PATIENCE_MS, until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

let chat: Chat;

suite("@rag", () => {
  beforeAll(async () => {
    chat = new Chat(editor.window);
    await chat.open();
  });

  beforeEach(async () => {
    await chat.startAnew();
  });

  test.each(["english", "japanese"] as const)("answers in %s from passages that reached the model", async (language) => {
    const { text, source } = QUESTIONS[language];
    const answer = await chat.ask(`@rag ${text}`);
    const request = lastRequest(editor.server.modelLog);
    expect(request.messages.at(-1)?.text).toContain(text);
    const passages = passagesIn(request);
    expect(passages.map((passage) => passage.source)).toContain(source);
    const quoted = passages[0]?.text.split("\n").find((line) => answer.includes(line.slice(0, 20)) && line.length > 20);
    expect(quoted, `${answer} quotes nothing of ${passages[0]?.text}`).toBeDefined();
    await editor.window.screenshot(`participant-${language}`);
  });

  test("a citation is an anchor that opens the file at the passage's line", async () => {
    const { text, source } = QUESTIONS.english;
    await chat.ask(`@rag ${text}`);
    const cited = passagesIn(lastRequest(editor.server.modelLog)).find((passage) => passage.source === source);
    const first = Number(/lines? (\d+)/.exec(cited?.place ?? "")?.[1]);
    await chat.anchor("runbook-failover.md").click();
    await editor.window.page.locator(".tab.active").filter({ hasText: "runbook-failover.md" }).waitFor();
    await expect.poll(async () => (await editor.window.bridge.activeEditor())?.line, { timeout: PATIENCE_MS }).toBe(first);
  });

  test("the second question brings the first one and its answer", async () => {
    await chat.ask(`@rag ${QUESTIONS.english.text}`);
    await chat.ask("And how many at most in one go?"); // the participant is sticky
    const texts = lastRequest(editor.server.modelLog).messages.map((message) => message.text);
    expect(texts.some((text) => text.includes(QUESTIONS.english.text))).toBe(true);
    expect(lastRequest(editor.server.modelLog).messages.map((message) => message.role)).toContain("assistant");
  });

  test("/search shows passages and asks no model", async () => {
    const before = modelRequests(editor.server.modelLog).length;
    const answer = await chat.ask(`@rag /search ${QUESTIONS.english.text}`);
    expect(answer).toContain("runbook-failover.md");
    expect(modelRequests(editor.server.modelLog)).toHaveLength(before);
  });

  test("an answer is followed by questions that go on, one of which is asked by a click", async () => {
    await chat.ask(`@rag ${QUESTIONS.english.text}`);
    const next = editor.window.page.locator(".interactive-session-followups .interactive-followup-reply");
    await next.filter({ hasText: "Why these passages?" }).first().click();
    await until("it is answered", async () => (await chat.responses.count()) === 2);
    await chat.finished();
    expect(await chat.lastResponse.innerText()).toContain("How the passages ranked");
  });

  test("a collection without documents is named, with a button that adds some", async () => {
    const api = await daemonApi(editor.server.dataDir);
    await api("POST", "/api/collections", { name: "handbook" });
    onTestFinished(async () => {
      await editor.window.bridge.setting("ragAssistant.collection", "");
      await api("DELETE", "/api/collections/handbook");
    });
    await editor.window.bridge.setting("ragAssistant.collection", "handbook");
    const answer = await chat.ask(`@rag ${QUESTIONS.english.text}`);
    expect(answer).toContain("Nothing is indexed of what was asked about: handbook.");
    expect(await chat.lastResponse.getByRole("button", { name: "Add files or folders" }).count()).toBe(1);
    await editor.window.screenshot("participant-empty-collection");
  });

  test("a file of the workspace that is attached reaches the model", async () => {
    const path = `${editor.window.workspace}/guides/migration-v3-ja.md`;
    await editor.window.bridge.attachToChat(path);
    await chat.ask("@rag この文書の要点は何ですか");
    const text = lastRequest(editor.server.modelLog)
      .messages.map((message) => message.text)
      .join("\n");
    expect(text).toContain('<attachment name="migration-v3-ja.md"');
  });

  test("a model with little room gets the best passages, and the answer says that some were left out", async () => {
    await chat.open("small");
    await chat.ask(`@rag ${QUESTIONS.english.text}`);
    const request = lastRequest(editor.server.modelLog);
    expect(request.model).toBe("small");
    const characters = request.messages.reduce((sum, message) => sum + message.text.length, 0);
    expect(characters / 4).toBeLessThan(1_000);
    // Of what: passages, or the selection that an earlier citation has left in the editor and VS Code attaches by itself.
    expect(await chat.lastResponse.innerText()).toMatch(/did not fit into the model's room|the model has no room for it/);
  });

  test.each([
    ["refuses", "refuse"],
    ["is out of quota", "quota"],
  ])("when the model %s, the passages themselves are shown, and why", async (_how, model) => {
    await chat.open(model);
    const answer = await chat.ask(`@rag ${QUESTIONS.english.text}`);
    expect(answer).toContain("runbook-failover.md");
    expect(answer).toMatch(/passages/i);
  });

  test("stopping a request ends the answer", async () => {
    await chat.open("slow");
    await chat.send(`@rag ${QUESTIONS.english.text}`);
    await until("the answer streams", async () => (await chat.lastResponse.innerText()).includes("piece 3 "));
    await chat.stop();
    await chat.finished();
    expect(await chat.lastResponse.innerText()).not.toContain("piece 200");
  });
});
