/**
 * Measures in the test editor what people wait for. It wants a machine with nothing else to do.
 *
 *     npm run measure -- [--rounds 5]
 *
 * Activation is by the editor's own clock. The panel is timed from the command that opens it to its first paint, and from the
 * key that sends a question to its first passage, both within the browser. The streams are the test models' long answers
 * (about 10,000 tokens, and 5,000 lines): the longest task on the view's main thread. The longer one is opened again from the
 * list of chats, timed from the click to its last line. RAG_TEST_DATA as for `npm run shoot`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { makeSampleData } from "./harness/daemon.ts";
import { Editor } from "./harness/editor.ts";
import { Panel } from "./harness/panel.ts";
import { SAMPLES, ragExecutable } from "./harness/paths.ts";
import { QUESTIONS } from "./questions.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Math.max(1, Number(values.rounds));
const STREAM_MS = 180_000;

const made = process.env["RAG_TEST_DATA"] === undefined ? mkdtempSync(join(tmpdir(), "rag-measure-data-")) : undefined;
const data = process.env["RAG_TEST_DATA"] ?? made;
if (made !== undefined) await makeSampleData(made);

const activations: number[] = [];
const paints: number[] = [];
const passages: number[] = [];
let longest = 0;
let longestOfLines = 0;
let reopened = { last: 0, longest: 0 };
for (let round = 1; round <= rounds; round += 1) {
  const editor = await Editor.launch({
    workspace: SAMPLES,
    kits: ["models"],
    settings: { "ragAssistant.server.executable": ragExecutable() },
    ...(data === undefined ? {} : { data }),
  });
  try {
    await editor.window.bridge.ready();
    // Warm: the question below must not wait for the daemon's start.
    await editor.window.statusBarItem(/RAG$/).waitFor({ timeout: STREAM_MS });
    paints.push(await firstPaint(editor));
    const panel = await Panel.ready(editor.window);
    passages.push(await firstPassage(panel, QUESTIONS.english.text));
    passages.push(await firstPassage(panel, QUESTIONS.japanese.text));
    if (round === rounds) {
      longest = await longestTask(panel, "RAG test long");
      await editor.window.command("RAG Assistant: New Chat");
      await panel.frame.locator(".welcome").waitFor();
      longestOfLines = await longestTask(panel, "RAG test huge");
      reopened = await reopening(editor, panel);
    }
    // Last, as the list that tells it lies over all else.
    activations.push(await activation(editor));
  } finally {
    await editor.close();
  }
}
if (made !== undefined) rmSync(made, { recursive: true, force: true });

const load = loadavg()[0]?.toFixed(1) ?? "?";
console.log(`${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${load}, ${rounds} rounds`);
for (const [name, times] of Object.entries({
  activation: activations,
  "first paint of the panel": paints,
  "first passage": passages,
})) {
  const sorted = [...times].sort((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  console.log(`${name}: ${median} ms (${least} to ${most})`);
}
const told = (task: number): string => (task === 0 ? "no task over 50 ms" : `longest task ${task} ms`);
console.log(`while 10,000 tokens stream: ${told(longest)}`);
console.log(`while 5,000 lines stream: ${told(longestOfLines)}`);
console.log(`these opened again: last line after ${reopened.last} ms, ${told(reopened.longest)}`);

async function activation(editor: Editor): Promise<number> {
  await editor.window.command("Developer: Show Running Extensions");
  const row = editor.window.page.locator(".runtime-extensions-editor .extension").filter({ hasText: "RAG Assistant" });
  const shown = await row.locator(".activation-time").first().innerText();
  return Number(/(\d+)\s*ms/.exec(shown)?.[1]);
}

/** From the command to the first contentful paint of the view's own page. */
async function firstPaint(editor: Editor): Promise<number> {
  const asked = Date.now();
  const panel = await Panel.open(editor.window);
  await panel.composer.waitFor();
  const painted = await panel.frame.locator("body").evaluate(
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
  return Math.round(painted - asked);
}

/** From Enter to the first passage in the page; the frame that shows it follows. */
async function firstPassage(panel: Panel, question: string): Promise<number> {
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
  await panel.composer.press("Enter");
  await panel.finished(STREAM_MS);
  return body.evaluate(() => {
    const { asked = Number.NaN, shown = Number.NaN } = globalThis as { asked?: number; shown?: number };
    return Math.round(shown - asked);
  });
}

async function longestTask(panel: Panel, model: string): Promise<number> {
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
async function reopening(editor: Editor, panel: Panel): Promise<{ last: number; longest: number }> {
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
