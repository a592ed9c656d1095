/** The longest task on the view's main thread: while a test model's long answer streams, and while it is opened again. */

import type { Editor } from "../harness/editor.ts";
import type { Panel } from "../harness/panel.ts";
import { QUESTIONS } from "../questions.ts";
import { STREAM_MS } from "./panel.ts";

export async function longestTask(panel: Panel, model: string): Promise<number> {
  await panel.choose("model", model);
  await watchTasks(panel);
  await panel.ask(QUESTIONS.english.text, STREAM_MS);
  return longestOf(panel);
}

async function watchTasks(panel: Panel): Promise<void> {
  await panel.frame.locator("body").evaluate(() => {
    const tasks = globalThis as { longest?: number; observer?: PerformanceObserver };
    tasks.longest = 0;
    tasks.observer?.disconnect();
    tasks.observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.longest = Math.max(tasks.longest ?? 0, entry.duration);
    });
    tasks.observer.observe({ type: "longtask" });
  });
}

function longestOf(panel: Panel): Promise<number> {
  return panel.frame.locator("body").evaluate(() => Math.round((globalThis as { longest?: number }).longest ?? 0));
}

/** The chat that is shown, left and opened again from the list: from the click to its last line, in ms. */
export async function reopening(editor: Editor, panel: Panel): Promise<{ last: number; longest: number }> {
  const body = panel.frame.locator("body");
  const lines = await panel.lastAnswer.locator("h2").count();
  await editor.window.command("RAG Assistant: New Chat");
  await panel.frame.locator(".welcome").waitFor();
  await panel.frame.getByTestId("history").getByRole("button").first().click();
  const row = panel.frame.locator(".history-open").first();
  await row.waitFor();
  await watchTasks(panel);
  await body.evaluate((page, all) => {
    const times = globalThis as { asked?: number; shown?: number };
    delete times.shown;
    page.addEventListener("click", () => (times.asked = performance.now()), { capture: true, once: true });
    const look = (): void => {
      const isThere =
        page.querySelectorAll("[data-testid=message-assistant] h2").length >= all && page.querySelector(".answer-actions");
      if (isThere) times.shown = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  }, lines);
  await row.click();
  await panel.answers.first().waitFor();
  await body.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if ((globalThis as { shown?: number }).shown === undefined) setTimeout(look, 50);
          else resolve();
        };
        look();
      }),
  );
  const last = await body.evaluate(() => {
    const { asked = Number.NaN, shown = Number.NaN } = globalThis as { asked?: number; shown?: number };
    return Math.round(shown - asked);
  });
  return { last, longest: await longestOf(panel) };
}
