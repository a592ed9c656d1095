import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { cutOff, violations } from "../harness/axe.ts";
import type { Theme } from "../harness/editor.ts";
import { Panel } from "../harness/panel.ts";
import { until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

const THEMES: Theme[] = ["dark", "light", "high-contrast", "high-contrast-light"];

let panel: Panel;
const filters = () => panel.frame.getByRole("button", { name: /^Filters/ });

/** Whether all of it is on the screen, without scrolling. */
async function isInSight(button: Locator): Promise<boolean> {
  return await button.evaluate(
    (element) =>
      new Promise<boolean>((resolve) => {
        new IntersectionObserver(([seen]) => resolve((seen?.intersectionRatio ?? 0) > 0.99)).observe(element);
      }),
  );
}

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

  test("nothing is cut off at a width of 300 pixels", async () => {
    const before = (await editor.window.page.locator(".part.sidebar").boundingBox())?.width ?? 0;
    await editor.window.widenSideBar(300);
    onTestFinished(() => editor.window.widenSideBar(before));
    await until("the view is as narrow", async () => {
      const width = await panel.frame.locator("body").evaluate(() => innerWidth);
      return width > 250 && width <= 300;
    });
    expect.soft(await cutOff(panel.frame)).toEqual([]);
    await panel.screenshot("narrow-answer");
    for (const [name, button] of Object.entries({ models: panel.frame.locator("[data-picker=model]"), filters: filters() })) {
      await button.click();
      expect.soft(await cutOff(panel.frame), name).toEqual([]);
      await panel.screenshot(`narrow-${name}`);
      if (name === "filters") expect.soft(await isInSight(panel.frame.getByRole("button", { name: "Done" }))).toBe(true);
      await editor.window.page.keyboard.press("Escape");
    }
  });

  test("a second button does not look as if it had the focus, in the light theme", async () => {
    await editor.setTheme("light");
    await filters().click();
    const second = panel.frame.getByRole("button", { name: "Clear Filters" });
    const [border, focus] = await second.evaluate((button) => {
      const probe = document.createElement("i");
      probe.style.color = "var(--vscode-focusBorder)";
      button.append(probe);
      return [getComputedStyle(button).borderTopColor, getComputedStyle(probe).color];
    });
    expect(border).not.toBe(focus);
    await panel.screenshot("second-button-light");
    await editor.window.page.keyboard.press("Escape");
  });

  test("with the history open", async () => {
    await panel.frame.getByTestId("history").getByRole("button").first().click();
    for (const theme of THEMES) {
      await editor.setTheme(theme);
      expect.soft(await violations(panel.frame, "sideBar-background"), theme).toEqual([]);
    }
  });
});
