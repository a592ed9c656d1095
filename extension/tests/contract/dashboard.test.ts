/** The dashboard in a real browser, on a real daemon with fake embeddings: nothing of a user's machine but a Chromium. */

import { writeFileSync } from "node:fs";

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { DaemonClient } from "../../src/core/client/daemonClient";
import { ContractDaemon } from "./daemon";
import { DashboardBrowser, HOSTILE, LOOKS, QUESTION } from "./dashboardBrowser";
import { PATIENCE_MS } from "../e2e/harness/wait.ts";

let dashboard: DashboardBrowser;
let page: Page;

const open = (hash: string): Promise<void> => dashboard.open(hash);
const violations = (): Promise<string[]> => dashboard.violations();
const api = <T>(method: string, path: string, body?: unknown): Promise<T> => dashboard.api<T>(method, path, body);

beforeAll(async () => {
  const daemon = await ContractDaemon.start();
  writeFileSync(daemon.path("broken.pdf"), "no PDF at all");
  dashboard = await DashboardBrowser.start(daemon, ["broken.pdf"]);
  page = dashboard.page;
});

afterAll(() => dashboard.stop());

test("the extension gets a link that works once", async () => {
  const link = await new DaemonClient(dashboard.daemon.connection).dashboardLink();
  const statuses = [];
  for (let time = 0; time < 2; time += 1) statuses.push((await fetch(link, { redirect: "manual" })).status);
  expect(statuses).toEqual([303, 401]);
});

test("the key is in no address, and a second tab needs no other link", async () => {
  expect(page.url()).not.toContain("key");
  const second = await dashboard.context.newPage();
  await second.goto(`${dashboard.daemon.connection.url}/dashboard#/questions`);
  await second.getByRole("heading", { level: 1, name: "Questions" }).waitFor();
  await second.close();
});

test("from a question to the path of each passage, and why a document is not in the answer", async () => {
  await open("#/questions");
  await page.getByRole("link", { name: QUESTION }).click();
  const lines = page.locator(".flow [role=option]");
  await lines.first().waitFor();
  expect(await lines.count()).toBeGreaterThan(3);
  await page.locator(".flow [tabindex='0']").focus();
  await page.keyboard.press("ArrowDown");
  expect(await page.locator(".flow [aria-selected='true']").count()).toBe(1);
  const named = page.getByPlaceholder("Part of a document's path or title");
  await named.fill("developer-guide");
  await named.press("Enter");
  await page
    .getByText(/In the answer|Not in the answer/)
    .first()
    .waitFor();
  expect(await violations()).toEqual([]);
});

test("the same question with another setting stands beside it", async () => {
  await open("#/questions");
  await page.getByRole("link", { name: QUESTION }).click();
  await page.getByLabel("A setting to change").selectOption("retrieval.strategy");
  await page.getByLabel("retrieval.strategy", { exact: true }).selectOption("sparse_only");
  await page.getByRole("button", { name: "Ask again" }).click();
  await page.getByText("The lists differ").waitFor();
  expect(await page.locator(".sides .flow").count()).toBe(2);
  expect(await violations()).toEqual([]);
  await page.getByRole("link", { name: "The new trace" }).click();
  await page.getByText("Repeats").waitFor();
});

test("from a passage of the answer to its place on the page of its document", async () => {
  await open("#/questions");
  await page.getByRole("link", { name: "the architecture of a replicated job queue" }).click();
  await page.getByText("The same as a table").click();
  await page
    .getByRole("link", { name: /replicated job queue · page/ })
    .first()
    .click();
  await page.getByRole("img", { name: /with the chunk marked/ }).waitFor();
  expect(await page.locator(".chunk [aria-pressed='true']").count()).toBe(1);
  await page.getByRole("button", { name: "Chunk 2", exact: true }).click();
  await page.getByRole("heading", { name: "Chunk 2", exact: true }).waitFor();
  // The other regions of its page are borders over the picture, each of which chooses its chunk.
  await page.locator(".region.chosen").waitFor();
  const other = page.locator(".region:not(.chosen)").last();
  const title = await other.locator("title").textContent();
  await other.click({ position: { x: 3, y: 3 } });
  await page.getByRole("heading", { name: title ?? "", exact: true }).waitFor();
});

test("a document that could not be read is mended where it stands", async () => {
  await open("#/overview");
  const row = page.getByRole("row", { name: "broken.pdf" });
  await row.getByRole("button", { name: "Read again" }).click();
  await row.getByText("It is in the queue.").waitFor();
  // What reads it again must not be at work beside what deletes it.
  const statuses = async (): Promise<string[]> => {
    const { items } = await api<{ items: { status: string }[] }>("GET", "/api/jobs");
    return items.map(({ status }) => status).filter((status) => status === "queued" || status === "running");
  };
  await expect.poll(statuses, { timeout: PATIENCE_MS }).toEqual([]);
  await row.getByRole("button", { name: "Delete" }).click();
  await row.getByText("from the collection? The file itself stays.").getByRole("button", { name: "Delete" }).click();
  await row.getByText("Deleted").waitFor();
  const { total } = await api<{ total: number }>("GET", "/api/documents?status=failed");
  expect(total).toBe(0);
});

test("a question that is tried shows at once how it was answered", async () => {
  await open("#/questions");
  await page.getByPlaceholder("Try a question").fill("Which port does the admin API have?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Which port does the admin API have?" }).waitFor();
  expect(await page.locator(".flow").count()).toBe(1);
});

test("a folder that is added shows up among what was done, without a reload", async () => {
  await open("#/ingestion");
  const done = page.getByRole("group", { name: "Done before" }).getByRole("row");
  const before = await done.count();
  await page.getByPlaceholder("Path on the daemon's machine").fill(dashboard.daemon.path("guides"));
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("It is in the queue.").waitFor();
  await done.nth(before).waitFor();
});

test("what is written in a question is text, in the page and in its title", async () => {
  await open("#/questions");
  await page.getByRole("link", { name: HOSTILE }).click();
  await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
  expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  expect(await page.title()).toContain(HOSTILE);
});

test.each(LOOKS)("$name: no page is wider than its window, and axe finds nothing", async (look) => {
  const [first] = (await api<{ items: { trace_id: string }[] }>("GET", "/api/traces?type=query")).items.slice(-1);
  const { items } = await api<{ items: { id: string }[] }>("GET", "/api/documents?text=whitepaper");
  const [read] = (await api<{ items: { trace_id: string }[] }>("GET", "/api/traces?type=ingestion")).items;
  const one = [
    `#/ingestion/${read?.trace_id ?? ""}`,
    `#/questions/${first?.trace_id ?? ""}`,
    `#/documents/${items[0]?.id ?? ""}`,
  ];
  await dashboard.look(look, ["#/questions", "#/overview", "#/ingestion", "#/documents", ...one]);
});

test("nothing was asked of anybody but this daemon, and the browser had nothing to complain of", () => {
  const asked = "checks collections documents evaluations events ingest jobs overview query settings sources status traces";
  expect(dashboard.asked()).toEqual(new Set(asked.split(" ")));
});
