import { afterAll, beforeAll, expect, test } from "vitest";

import { violations } from "../harness/axe.ts";
import type { Theme } from "../harness/editor.ts";
import { Panel } from "../harness/panel.ts";
import { until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

const THEMES: Theme[] = ["dark", "light", "high-contrast", "high-contrast-light"];

let panel: Panel;

suite("axe-core finds nothing to object to", () => {
  beforeAll(async () => {
    panel = await Panel.ready(editor.window);
    await until("the panel is empty", async () => (await panel.answers.count()) === 0);
  });

  afterAll(async () => {
    await editor.setTheme("dark");
  });

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
