/** What people wait for in the chat panel: its first paint, passages, the chat after a reload, an answer after a restart. In ms. */

import type { Locator, Page } from "playwright-core";

import type { Editor } from "../harness/editor.ts";
import { Panel } from "../harness/panel.ts";
import { until } from "../harness/wait.ts";

export const STREAM_MS = 180_000;
const REST_MS = 3000;

/** By the editor's own clock. */
export async function activation(editor: Editor): Promise<number> {
  await editor.window.command("Developer: Show Running Extensions");
  const row = editor.window.page.locator(".runtime-extensions-editor .extension").filter({ hasText: "RAG Assistant" });
  const shown = await row.locator(".activation-time").first().innerText();
  return Number(/(\d+)\s*ms/.exec(shown)?.[1]);
}

/** Until the workbench has had no long task for some seconds: the first view is not to wait for what the editor's start has left to do. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(
    (rest) =>
      new Promise<void>((resolve) => {
        let timer = setTimeout(resolve, rest);
        new PerformanceObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(resolve, rest);
        }).observe({ type: "longtask" });
      }),
    REST_MS,
  );
}

/** From the command to the first contentful paint of the view's own page, and until a question can be written there. */
export async function firstPaint(editor: Editor): Promise<{ painted: number; taken: number }> {
  await atRest(editor.window.page);
  const asked = Date.now();
  const panel = await Panel.open(editor.window);
  await panel.composer.waitFor();
  const taken = Date.now() - asked;
  return { painted: (await paintedAt(panel.frame.locator("body"))) - asked, taken };
}

/** When the page of this element was painted first, by the clock. */
export function paintedAt(body: Locator): Promise<number> {
  return body.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list, observer) => {
          const [entry] = list.getEntriesByName("first-contentful-paint");
          if (entry === undefined) return;
          observer.disconnect();
          resolve(performance.timeOrigin + entry.startTime);
        }).observe({ type: "paint", buffered: true });
      }),
  );
}

/** From Enter to the first passage in the page; the frame that shows it follows. */
export async function firstPassage(panel: Panel, question: string): Promise<number> {
  const { asked, shown } = await passageTimes(panel, question);
  return shown - asked;
}

/** When Enter was pressed, and when a passage of this question's answer came; by the clock. */
async function passageTimes(panel: Panel, question: string): Promise<{ asked: number; shown: number }> {
  await panel.composer.fill(question);
  const body = panel.frame.locator("body");
  await body.evaluate((page) => {
    const times = globalThis as { asked?: number; shown?: number };
    delete times.shown;
    page.addEventListener("keydown", () => (times.asked = performance.now()), { capture: true, once: true });
    // Those of an earlier answer may go as the new ones come.
    const before = new Set(page.querySelectorAll("[data-testid=passage]"));
    const observer = new MutationObserver(() => {
      if ([...page.querySelectorAll("[data-testid=passage]")].every((one) => before.has(one))) return;
      times.shown = performance.now();
      observer.disconnect();
    });
    observer.observe(page, { childList: true, subtree: true });
  });
  const answers = await panel.answers.count();
  await panel.composer.press("Enter");
  // Until then the last answer is that of the question before.
  await until("the question is taken", async () => (await panel.answers.count()) > answers);
  await panel.finished(STREAM_MS);
  return body.evaluate(() => {
    const { asked = Number.NaN, shown = Number.NaN } = globalThis as { asked?: number; shown?: number };
    return { asked: performance.timeOrigin + asked, shown: performance.timeOrigin + shown };
  });
}

/** A chat's answer that was there before. */
export function restoredAnswer({ window }: Editor): Locator {
  return window.panel().getByTestId("message-assistant").last().locator(".markdown");
}

/** From the command "Reload Window" until the workbench is drawn again, and until this is, which the view had shown before. */
export async function reload({ window }: Editor, shown: Locator): Promise<{ workbench: number; view: number }> {
  const begun = window.page.waitForEvent("framenavigated", (frame) => frame === window.page.mainFrame());
  const asked = Date.now();
  // Whoever would answer ends with the window; where the command does nothing, the next line waits in vain.
  window.bridge.execute("workbench.action.reloadWindow").catch(() => undefined);
  await begun;
  window.bridge.forget();
  const drawn = window.ready().then(() => Date.now());
  await shown.waitFor();
  const view = Date.now() - asked;
  const workbench = (await drawn) - asked;
  await window.bridge.ready();
  return { workbench, view };
}

/** From the command "Restart Daemon" until the old one has ended, and until a question that is asked at once has passages. */
export async function restart({ window }: Editor, panel: Panel, question: string): Promise<{ ended: number; answer: number }> {
  const begun = Date.now();
  // Resolves when the next one starts.
  await window.bridge.execute("ragAssistant.restartDaemon");
  const ended = Date.now() - begun;
  const { shown } = await passageTimes(panel, question);
  return { ended, answer: shown - begun };
}
