/** An editor that has no language model at all, which is how most people meet the extension. */

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { Chat } from "./harness/chat.ts";
import type { Editor } from "./harness/editor.ts";
import { ModelDouble } from "./harness/modelDouble.ts";
import { Panel } from "./harness/panel.ts";
import { launchWithSamples } from "./harness/ready.ts";
import { until } from "./harness/wait.ts";
import { QUESTIONS } from "./questions.ts";

const KEY = "sk-test-0123456789abcdef";
const NO_MODEL = "No language model is set up";

let editor: Editor;
let double: ModelDouble;

beforeAll(async () => {
  double = await ModelDouble.start("tiny:1b", "nomic-embed-text");
  editor = await launchWithSamples({ env: { TEST_KIT_MODELS: "none", OLLAMA_HOST: double.url } });
});

afterAll(async () => {
  await editor.close();
  await double.stop();
});

describe("without any other language model", () => {
  test("@rag answers by the editor's own chat, and says once how to get a model", async () => {
    const chat = new Chat(editor.window);
    await Panel.ready(editor.window);
    const models = await editor.window.bridge.models();
    expect(models.map(({ id, vendor }) => ({ id, vendor }))).toEqual([{ id: "passages", vendor: "rag-assistant" }]);
    await chat.openAsItIs("RAG: passages only");
    const first = await chat.ask(`@rag ${QUESTIONS.english.text}`);
    expect(first).toContain(NO_MODEL);
    expect(first).toContain("runbook-failover.md");
    expect(await chat.lastResponse.getByText("Add a Model…").count()).toBe(1);
    await editor.window.screenshot("no-model-participant");
    expect(await chat.ask(`@rag ${QUESTIONS.pdf.text}`)).not.toContain(NO_MODEL);
  });

  test("the panel says so below its first answer, once", async () => {
    const panel = await Panel.ready(editor.window);
    const first = await panel.ask(QUESTIONS.english.text);
    expect(await first.getByTestId("no-model").innerText()).toContain(NO_MODEL);
    expect(await first.getByTestId("citation").count()).toBeGreaterThan(0);
    await panel.screenshot("no-model-panel");
    const second = await panel.ask(QUESTIONS.pdf.text);
    expect(await second.getByTestId("no-model").count()).toBe(0);
  });
});

describe("adding a model", () => {
  test("an Ollama of this machine is looked for when the list opens, and then answers in panel and chat", async () => {
    const panel = await Panel.ready(editor.window);
    expect(double.requests).toEqual([]);
    await panel.frame.getByTestId("no-model").getByRole("button").click();
    const list = editor.window.page.locator(".quick-input-widget:visible .monaco-list-row");
    await list.filter({ hasText: "tiny:1b" }).waitFor();
    expect(await list.filter({ hasText: "nomic-embed-text" }).count()).toBe(0);
    await editor.window.screenshot("no-model-add");
    await editor.window.pick("tiny:1b");
    await editor.window.notification("tiny:1b writes the answers");
    const answer = await panel.ask(QUESTIONS.english.text);
    expect(await answer.innerText()).toContain("Written by tiny:1b");
    expect(await answer.locator(".by").innerText()).toBe("tiny:1b");

    await until("the editor knows the daemon's model", async () =>
      (await editor.window.bridge.models()).some(({ name }) => name === "RAG: tiny:1b"),
    );
    const chat = new Chat(editor.window);
    await chat.openWith({ vendor: "rag-assistant", id: "daemon" }, "RAG: tiny:1b");
    expect(await chat.ask(`@rag ${QUESTIONS.english.text}`)).toContain("Written by tiny:1b");
  });

  test("a service's key is tried, given to the daemon by reference, and found in no file", async () => {
    const { window, server } = editor;
    double.key = KEY;
    const describeService = async (key: string): Promise<void> => {
      await window.bridge.execute("notifications.clearAll");
      window.bridge.begin("ragAssistant.addModel");
      await window.pick("OpenAI-compatible service");
      // Until the box is there, the list that led here takes what is typed as its filter.
      await window.page.locator(".quick-input-widget:visible").filter({ hasText: "Base URL of the service" }).waitFor();
      await window.answer(`${double.url}/v1`);
      await window.page.locator(".quick-input-widget:visible input[type=password]").waitFor();
      await window.answer(key);
    };
    await describeService("sk-wrong-key");
    await window.notification("refused the key (status 401)");
    double.requests.length = 0;
    await describeService(KEY);
    await window.pick("tiny:1b");
    await window.notification("tiny:1b writes the answers");
    const panel = await Panel.ready(window);
    expect(await (await panel.ask(QUESTIONS.pdf.text)).innerText()).toContain("Written by tiny:1b");
    expect(double.requests.at(-1)).toEqual({ path: "/v1/chat/completions", authorization: `Bearer ${KEY}` });
    expect(filesWith(server.folder, KEY)).toEqual([]);
  });

  test("a model that is removed leaves the passages", async () => {
    const { window } = editor;
    await window.bridge.execute("notifications.clearAll");
    window.bridge.begin("ragAssistant.addModel");
    await window.pick("Remove tiny:1b");
    await until("only passages are left", async () => (await window.bridge.models()).length === 1);
    const panel = await Panel.newChat(window);
    expect(await (await panel.ask(QUESTIONS.english.text)).getByTestId("no-model").count()).toBe(1);
  });
});

function filesWith(folder: string, text: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text));
}
