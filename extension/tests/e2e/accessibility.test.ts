import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { violations } from "./harness/axe.ts";
import type { Editor, Theme } from "./harness/editor.ts";
import { Panel } from "./harness/panel.ts";
import { launchWithSamples } from "./harness/ready.ts";
import { QUESTIONS } from "./questions.ts";

const THEMES: Theme[] = ["dark", "light", "high-contrast", "high-contrast-light"];

let editor: Editor;
let panel: Panel;

beforeAll(async () => {
  editor = await launchWithSamples();
  panel = await Panel.ready(editor.window);
});

afterAll(async () => {
  await editor.close();
});

describe("axe-core finds nothing to object to", () => {
  test.each(THEMES)("in the empty panel, %s", async (theme) => {
    await editor.setTheme(theme);
    expect(await violations(panel.frame, "sideBar-background")).toEqual([]);
  });

  test("with an answer, its passages and the reasons for them unfolded", async () => {
    const answer = await panel.ask(QUESTIONS.english.text);
    await answer.locator(".passages summary").click();
    await answer.getByRole("button", { name: "Why these passages" }).click();
    for (const theme of THEMES) {
      await editor.setTheme(theme);
      expect.soft(await violations(panel.frame, "sideBar-background"), theme).toEqual([]);
      await panel.screenshot(`accessibility-${theme}`);
    }
  });

  test("with the history open", async () => {
    await panel.frame.getByTestId("history").getByRole("button").first().click();
    for (const theme of THEMES) {
      await editor.setTheme(theme);
      expect.soft(await violations(panel.frame, "sideBar-background"), theme).toEqual([]);
    }
  });
});
