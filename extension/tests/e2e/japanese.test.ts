import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { cutOff } from "./harness/axe.ts";
import { Chat } from "./harness/chat.ts";
import type { Editor } from "./harness/editor.ts";
import { Panel } from "./harness/panel.ts";
import { launchWithSamples } from "./harness/ready.ts";
import { QUESTIONS } from "./questions.ts";

const JAPANESE = /[\u3041-\u30ff\u4e00-\u9fff]/;

let editor: Editor;

beforeAll(async () => {
  editor = await launchWithSamples({ locale: "ja", kits: ["japanese", "models"], theme: "light" });
});

afterAll(async () => {
  await editor.close();
});

describe("in Japanese", () => {
  test("commands are found by their Japanese names", async () => {
    expect(await editor.window.bridge.language()).toBe("ja");
    await editor.window.command("RAG Assistant: チャットを開く");
  });

  test("the panel's own words are Japanese, for eyes and for screen readers", async () => {
    const panel = await Panel.ready(editor.window);
    expect(await panel.composer.getAttribute("placeholder")).toMatch(JAPANESE);
    expect(await panel.frame.locator("html").getAttribute("lang")).toBe("ja");
    const labels = await panel.frame
      .locator("[aria-label]")
      .evaluateAll((elements) => elements.map((element) => element.getAttribute("aria-label") ?? ""));
    expect(labels.filter((label) => !JAPANESE.test(label) && !/^RAG/.test(label))).toEqual([]);
  });

  test("a Japanese question is answered, and the screen stays Japanese", async () => {
    const panel = await Panel.ready(editor.window);
    const answer = await panel.ask(QUESTIONS.japanese.text);
    expect(await answer.getByTestId("citation").count()).toBeGreaterThan(0);
    expect(await answer.getByRole("button").last().innerText()).toMatch(JAPANESE);
    await answer.locator(".why-button").click();
    const lines = await answer.locator(".time-value").evaluateAll((values) =>
      values.map((value) => {
        const range = document.createRange();
        range.selectNodeContents(value);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size;
      }),
    );
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((count) => count !== 1)).toEqual([]);
    expect(await cutOff(panel.frame)).toEqual([]);
    await panel.screenshot("japanese-panel");
  });

  test("@rag speaks Japanese of what it does", async () => {
    const chat = new Chat(editor.window);
    await chat.open();
    expect(await chat.ask(`@rag /explain ${QUESTIONS.japanese.text}`)).toMatch(/検索した質問[^]*文章の順位/);
    await editor.window.screenshot("japanese-chat");
  });
});
