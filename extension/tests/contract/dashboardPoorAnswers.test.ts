/**
 * Five poor answers that are planted, and by how many clicks from the first page the dashboard says why. With RAG_SHOTS naming a
 * folder, a picture is taken of each finding: `RAG_SHOTS=../docs/images npx vitest run --config vitest.e2e.config.ts
 * tests/contract/dashboardPoorAnswers.test.ts`.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";

import { ContractDaemon } from "./daemon";
import { DashboardBrowser } from "./dashboardBrowser";
import { PATIENCE_MS } from "../e2e/harness/wait.ts";

const BORDER = "How long may a lease be extended?";
const SYNONYM = "Where are the PTO rules?";
const TYPO = "path:guidse/ How is a backup restored?";
const STALE = "Which port does the gateway use?";
const LATE = "Who approves a release?";

let dashboard: DashboardBrowser;
let page: Page;
let clicks = 0;

/** Only these count: what is read on the way needs none. */
async function click(what: Locator): Promise<void> {
  clicks += 1;
  await what.click();
}

/** Begins at the first page, as whoever opens the dashboard does. */
async function begin(): Promise<void> {
  await dashboard.open("#/overview");
  clicks = 0;
}

async function toQuestion(text: string): Promise<void> {
  await click(page.getByRole("link", { name: "Questions", exact: true }));
  await click(page.getByRole("link", { name: text }).first());
  await page.getByRole("heading", { level: 1, name: text }).waitFor();
}

async function shoot(name: string, shown: Locator): Promise<void> {
  await shown.scrollIntoViewIfNeeded();
  const folder = process.env["RAG_SHOTS"];
  if (folder) await page.screenshot({ path: join(folder, `poor-${name}.png`) });
}

beforeAll(async () => {
  const daemon = await ContractDaemon.start({
    RAG_SPLITTER__CHUNK_SIZE: "64",
    RAG_SPLITTER__CHUNK_OVERLAP: "0",
    RAG_SPLITTER__STRATEGY: "fixed",
  });
  const write = (name: string, text: string) => writeFileSync(daemon.path(name), text);
  const filler = Array.from({ length: 150 }, (_, index) => `word${index}`).join(" ");
  write(
    "lease.md",
    `# Lease\n\nHow long a lease may be extended: ${filler} it may be extended by ninety minutes and no longer.\n`,
  );
  write("absence.md", "# Annual leave\n\nHolidays are asked for two weeks before.\n");
  write("gateway.md", "# Gateway\n\nThe gateway uses port 8080.\n");
  write("release.md", "# Release\n\nThe owner of a service approves a release.\n");
  mkdirSync(daemon.path("team"));
  write("team/notes.md", "# Notes\n\nNothing of weight.\n");
  dashboard = await DashboardBrowser.start(daemon, []);
  page = dashboard.page;
  await page.setViewportSize({ width: 1100, height: 720 });
  await dashboard.api("POST", "/api/sources", { type: "folder", config: { path: daemon.path("team"), watch: false } });
  for (const query of [BORDER, SYNONYM, TYPO, STALE]) await dashboard.api("POST", "/api/query", { query });
  const settings = { "rerank.provider": "maxsim", "rerank.budget_ms": 1 };
  await dashboard.api("POST", "/api/evaluations/query", { query: LATE, settings });
});

afterAll(() => dashboard.stop());

test("a wrong chunk border: the answer's sentence is cut off from what it is about", async () => {
  await begin();
  await toQuestion(BORDER);
  await click(page.getByText("The same as a table"));
  await click(page.getByRole("link", { name: /^Lease/ }).first());
  const chunks = page.locator(".chunk");
  await chunks.nth(1).waitFor();
  const texts = await chunks.allInnerTexts();
  const [about, answers] = [/How long a lease/, /ninety minutes/].map((wanted) => texts.findIndex((text) => wanted.test(text)));
  expect(about).toBeGreaterThanOrEqual(0);
  expect(answers).toBeGreaterThan(about ?? 0);
  await shoot("border", chunks.first());
  expect(clicks).toBe(4);
});

test("a missing synonym: no list held the document, neither by meaning nor by words", async () => {
  await begin();
  await toQuestion(SYNONYM);
  await page.getByPlaceholder("Part of a document's path or title").fill("absence");
  await click(page.getByRole("button", { name: "Find" }));
  const reason = page.getByText(/neither its meaning nor its words|others fit better|rank \d+ of the list “By meaning”/).first();
  await reason.waitFor();
  await expect.soft(page.getByText(/“By words”/).count()).resolves.toBe(0);
  await shoot("synonym", reason);
  expect(clicks).toBe(3);
});

test("a typo in a filter: nothing was found, and the filter is named", async () => {
  await begin();
  const table = page.getByRole("group", { name: "Questions and ingestions" });
  await click(table.getByRole("row", { name: "Questions, 24 hours" }).getByRole("link").last());
  await page.getByRole("heading", { level: 1, name: "Questions" }).waitFor();
  await click(page.getByRole("link", { name: "How is a backup restored?" }));
  const filter = page.getByText("Only documents that pass these filters were looked at:");
  await filter.waitFor();
  await page.getByText("guidse/").last().waitFor();
  await shoot("filter", filter);
  expect(clicks).toBe(2);
});

test("a stale source: the document has changed since, or its source can't be read any more, which the first page says", async () => {
  writeFileSync(dashboard.daemon.path("gateway.md"), "# Gateway\n\nThe gateway uses port 9090 now.\n");
  const ingested = await dashboard.api<{ job_id: string }>("POST", "/api/ingest", {
    paths: [dashboard.daemon.path("gateway.md")],
  });
  await finished(ingested.job_id);
  await begin();
  await toQuestion(STALE);
  await page.getByPlaceholder("Part of a document's path or title").fill("gateway");
  await click(page.getByRole("button", { name: "Find" }));
  const since = page.getByText(/It has changed since the question/);
  await since.waitFor();
  await shoot("stale", since);
  expect(clicks).toBe(3);
  rmSync(dashboard.daemon.path("team"), { recursive: true });
  const [source] = (await dashboard.api<{ items: { id: string }[] }>("GET", "/api/sources")).items.slice(-1);
  const { job_id } = await dashboard.api<{ job_id: string }>("POST", `/api/sources/${source?.id ?? ""}/sync`, {});
  await finished(job_id);
  await dashboard.open("#/questions");
  await begin();
  const row = page.getByRole("group", { name: "Sources" }).getByRole("row").nth(1);
  await row.waitFor();
  await shoot("source", row);
  expect(clicks).toBe(0);
});

test("a reranker out of time: the page of the question says how far it came", async () => {
  await begin();
  await toQuestion(LATE);
  const late = page.getByText(/Reranking ran out of time: \d+ of \d+ passages/);
  await late.waitFor();
  await shoot("rerank", late);
  expect(clicks).toBe(2);
});

async function finished(id: string): Promise<void> {
  const status = async () => (await dashboard.api<{ status: string }>("GET", `/api/jobs/${id}`)).status;
  await expect.poll(status, { timeout: PATIENCE_MS }).toMatch(/completed|failed/);
}
