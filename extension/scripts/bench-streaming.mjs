// Streams long answers into the chat view in Chromium: longest task of the main thread, and how the cost grows.
// node scripts/bench-streaming.mjs [--view dist/webview] [--tokens 5000,10000,20000] [--shapes prose,list] [--json]
// CHROMIUM names the browser, /usr/bin/chromium when it is not set.
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

import { answerText, SHAPES } from "../tests/bench/answers.mjs";
import { firstMessage, serveChat } from "../tests/bench/chatPage.mjs";

const { values } = parseArgs({
  options: {
    view: { type: "string", default: fileURLToPath(new URL("../dist/webview", import.meta.url)) },
    tokens: { type: "string", default: "5000,10000,20000" },
    shapes: { type: "string", default: SHAPES.join(",") },
    json: { type: "boolean", default: false },
  },
});
const LIMIT_MS = 50;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];

/** Send the answer token by token, some each few milliseconds as from a fast model; resolves when it stands there whole. */
async function stream(tokens) {
  const id = { sessionId: "s1", messageId: "a1" };
  const now = new Date().toISOString();
  const answer = {
    id: "a1",
    role: "assistant",
    text: "",
    at: now,
    state: "searching",
    notices: [],
    citations: [],
    support: [],
    options: {},
  };
  const question = { id: "u1", role: "user", text: "Tell me all", options: {}, at: now };
  const tell = (message) => globalThis.tell(message);
  tell({ type: "answer.started", sessionId: "s1", keep: 0, messages: [question, answer], title: "Bench" });
  let next = 0;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      for (let count = 0; count < 12 && next < tokens.length; count += 1)
        tell({ type: "answer.delta", ...id, text: tokens[next++] });
      if (next < tokens.length) return;
      clearInterval(timer);
      resolve();
    }, 4);
  });
  tell({ type: "answer.ended", sessionId: "s1", message: { ...answer, text: tokens.join(""), state: "done" } });
  const done = () =>
    document.querySelector(".answer-actions") !== null && document.querySelector(".markdown").style.minHeight === "";
  while (!done()) await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 5000 }));
}

/** Durations of the tasks on the page's main thread: on the clock, and of the processor alone. */
function tasks(trace) {
  const { traceEvents } = JSON.parse(trace.toString("utf8"));
  const mains = new Set(
    traceEvents
      .filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}.${tid}`),
  );
  const runs = traceEvents.filter(
    (event) =>
      event.name === "ThreadControllerImpl::RunTask" && event.ph === "X" && mains.has(`${event.pid}.${event.tid}`),
  );
  const most = (key) => runs.reduce((longest, run) => Math.max(longest, (run[key] ?? 0) / 1000), 0);
  return { wall: most("dur"), cpu: most("tdur") };
}

async function measure(browser, url, tokens) {
  const page = await browser.newPage({ viewport: { width: 420, height: 800 } });
  await page.goto(url);
  await page.waitForFunction(() => globalThis.sent?.length > 0);
  await page.evaluate((message) => globalThis.tell(message), firstMessage());
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const metrics = async () =>
    Object.fromEntries((await session.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]));
  const before = await metrics();
  await browser.startTracing(page, { categories: ["toplevel"] });
  await page.evaluate(stream, tokens);
  const longest = tasks(await browser.stopTracing());
  const after = await metrics();
  await page.close();
  const seconds = (name) => after[name] - before[name];
  return {
    longest,
    total: seconds("TaskDuration"),
    script: seconds("ScriptDuration"),
    layout: seconds("LayoutDuration") + seconds("RecalcStyleDuration"),
  };
}

const server = await serveChat(values.view);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
const sizes = values.tokens.split(",").map(Number);
const rows = [];
let failed = false;
try {
  for (const shape of values.shapes.split(",")) {
    let previous;
    for (const size of sizes) {
      const result = await measure(browser, server.url, answerText(shape, size));
      const growth = previous === undefined ? undefined : result.total / previous;
      previous = result.total;
      rows.push({ shape, tokens: size, ...result, growth });
      failed ||= result.longest.cpu > LIMIT_MS;
      if (values.json) continue;
      const ms = (value) => `${(value * 1000).toFixed(0)} ms`;
      const grown = growth === undefined ? "" : `, × ${growth.toFixed(2)}`;
      const { wall, cpu } = result.longest;
      console.log(
        `${shape.padEnd(9)} ${String(size).padStart(6)} tokens: longest task ${cpu.toFixed(1)} ms (clock ${wall.toFixed(1)} ms); ` +
          `in all ${ms(result.total)}, script ${ms(result.script)}, layout ${ms(result.layout)}${grown}`,
      );
    }
  }
} finally {
  await browser.close();
  server.close();
}
if (values.json) console.log(JSON.stringify(rows, null, 2));
if (failed) {
  console.error(`A task took the processor for more than ${LIMIT_MS} ms.`);
  process.exitCode = 1;
}
