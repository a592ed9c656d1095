// Opens pages of the dashboard over many rows in Chromium: milliseconds to the first paint, until the page is drawn, and of a click;
// the median of ten each.
//
//   python ../scripts/bench/dashboard/rows.py FOLDER && node scripts/bench-dashboard.mjs FOLDER
//
// CHROMIUM names the browser, /usr/bin/chromium when it is not set; RAG the program, ../.venv/bin/rag.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const TIMES = 10;
const PAGES = ["#/overview", "#/documents", "#/questions", "#/ingestion", "#/evaluation", "#/datasets"];
const folder = path.resolve(process.argv[2] ?? "");
const rag = process.env.RAG ?? fileURLToPath(new URL("../../.venv/bin/rag", import.meta.url));
const light = {
  RAG_DATA_DIR: folder,
  RAG_EMBEDDING__PROVIDER: "fake",
  RAG_DENSE__BACKEND: "exact",
  RAG_SPARSE__BACKEND: "fts5",
  RAG_SPARSE__ANALYZER: "bigram",
};
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const said = path.join(folder, "daemon.json");
rmSync(said, { force: true });
const daemon = spawn(rag, ["serve", "--port", "0"], { env: { ...process.env, ...light }, stdio: "ignore" });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const connection = () => (existsSync(said) ? JSON.parse(readFileSync(said, "utf8")) : {});
  while (!connection().url) await pause(100);
  const { url, token } = connection();
  const ask = (method, where) => fetch(url + where, { method, headers: { Authorization: `Bearer ${token}` } });
  while ((await ask("GET", "/api/status")).status !== 200) await pause(100);
  const { path: link } = await (await ask("POST", "/api/dashboard-link")).json();
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.goto(url + link);
  const drawn = (hash) => page.locator(`main[data-address="${hash}"]:not([aria-busy])`).waitFor();
  const inPage = (script) => page.evaluate(script);
  for (const hash of PAGES) {
    const [painted, whole] = [[], []];
    for (let time = 0; time < TIMES; time += 1) {
      await page.goto("about:blank");
      await page.goto(`${url}/dashboard${hash}`);
      await drawn(hash);
      whole.push(await inPage("performance.now()"));
      painted.push(await inPage("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"));
    }
    console.log(`${hash}: first paint ${median(painted).toFixed(0)} ms, drawn ${median(whole).toFixed(0)} ms`);
  }
  // A click until the page that it leads to stands there, measured in the page.
  for (const [from, to] of [
    ["#/overview", "#/questions"],
    ["#/questions", "#/documents"],
    ["#/documents", "#/documents?page=500"],
  ]) {
    const taken = [];
    for (let time = 0; time < TIMES; time += 1) {
      await inPage(`location.hash = ${JSON.stringify(from)}`);
      await drawn(from);
      const wait = `new Promise((done) => {
        const main = document.getElementById("main");
        const began = performance.now();
        new MutationObserver((_, seen) => {
          if (main.dataset.address !== ${JSON.stringify(to)} || main.hasAttribute("aria-busy")) return;
          seen.disconnect();
          requestAnimationFrame(() => done(performance.now() - began));
        }).observe(main, { attributes: true });
        location.hash = ${JSON.stringify(to)};
      })`;
      taken.push(await inPage(wait));
    }
    console.log(`${from} to ${to}: ${median(taken).toFixed(0)} ms`);
  }
} finally {
  await browser.close();
  daemon.kill("SIGTERM");
}
