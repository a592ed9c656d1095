/** The dashboard in a real browser, on a real daemon with fake embeddings: nothing of a user's machine but a Chromium. */

import { readFileSync, writeFileSync } from "node:fs";

import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { DaemonClient } from "../../src/core/client/daemonClient";
import { ContractDaemon } from "./daemon";
import { AXE, browserPath } from "../e2e/harness/paths.ts";
import { PATIENCE_MS } from "../e2e/harness/wait.ts";

const QUESTION = "How long are backups kept?";
const HOSTILE = `<img src=x onerror="globalThis.hit=1"> backups </title><script>globalThis.hit=1</script>`;

let daemon: ContractDaemon;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Every address that was asked for, without parameters, and every complaint of the browser. */
const requests = new Set<string>();
const complaints: string[] = [];

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const { url, token } = daemon.connection;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as T;
}

/** Go to an address of the dashboard, and wait until its page is drawn. */
async function open(hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.locator(`main[data-address=${JSON.stringify(hash)}]:not([aria-busy])`).waitFor();
}

async function violations(): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>("axe.run(document)");
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Notes what a browser's pages ask for, and what they complain of. */
function watch(context: BrowserContext): void {
  context.on("request", (request) => requests.add(request.url().split(/[?#]/)[0] ?? ""));
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
}

beforeAll(async () => {
  daemon = await ContractDaemon.start();
  const client = new DaemonClient(daemon.connection);
  writeFileSync(daemon.path("broken.pdf"), "no PDF at all");
  for await (const { result } of client.jobProgress((await client.ingest([daemon.path()], undefined)).job_id)) {
    expect((result?.failed ?? []).map(({ source }) => source)).toEqual(result ? ["broken.pdf"] : []);
  }
  for (const query of [QUESTION, HOSTILE, "the architecture of a replicated job queue", "バックアップの保存期間は?"])
    await api("POST", "/api/query", { query });
  browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", "--disable-gpu"] });
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US" });
  context.setDefaultTimeout(PATIENCE_MS);
  watch(context);
  page = await context.newPage();
  const { path } = await api<{ path: string }>("POST", "/api/dashboard-link");
  await page.goto(daemon.connection.url + path);
  await page.waitForSelector("h1");
});

afterAll(async () => {
  await browser.close();
  await daemon.stop();
  daemon.remove();
});

test("the extension gets a link that works once", async () => {
  const link = await new DaemonClient(daemon.connection).dashboardLink();
  const statuses = [];
  for (let time = 0; time < 2; time += 1) statuses.push((await fetch(link, { redirect: "manual" })).status);
  expect(statuses).toEqual([303, 401]);
});

test("the key is in no address, and a second tab needs no other link", async () => {
  expect(page.url()).not.toContain("key");
  const second = await context.newPage();
  await second.goto(`${daemon.connection.url}/dashboard#/questions`);
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
});

test("a document that could not be read is mended where it stands", async () => {
  await open("#/attention");
  const row = page.getByRole("row", { name: "broken.pdf" });
  await row.getByRole("button", { name: "Read again" }).click();
  await row.getByText("It is in the queue.").waitFor();
  // What reads it again must not be at work beside what deletes it.
  const statuses = async (): Promise<string[]> => {
    const { items } = await api<{ items: { status: string }[] }>("GET", "/api/jobs");
    return items.map(({ status }) => status).filter((status) => status === "queued" || status === "running");
  };
  await expect.poll(statuses, { timeout: PATIENCE_MS }).toEqual([]);
  page.once("dialog", (dialog) => void dialog.accept());
  await row.getByRole("button", { name: "Delete" }).click();
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
  await page.getByPlaceholder("Path on the daemon's machine").fill(daemon.path("guides"));
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

test.each([
  { name: "dark", scheme: "dark", width: 1280, locale: "en-US", heading: "Questions" },
  { name: "narrow", scheme: "light", width: 360, locale: "en-US", heading: "Questions" },
  { name: "Japanese", scheme: "light", width: 1280, locale: "ja-JP", heading: "質問" },
  { name: "Chinese", scheme: "dark", width: 360, locale: "zh-CN", heading: "问题" },
] as const)("$name: no page is wider than its window, and axe finds nothing", async ({ scheme, width, locale, heading }) => {
  const other = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme, locale });
  watch(other);
  const kept = page;
  page = await other.newPage();
  try {
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(daemon.connection.url + (await api<{ path: string }>("POST", "/api/dashboard-link")).path);
    await open("#/questions");
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    const hash = await page.locator("tbody th a").last().getAttribute("href");
    const { items } = await api<{ items: { id: string }[] }>("GET", "/api/documents?text=whitepaper");
    const pages = ["#/attention", "#/ingestion", "#/documents", `#/documents/${items[0]?.id ?? ""}`];
    for (const where of ["#/questions", hash ?? "", ...pages]) {
      await open(where);
      expect(await page.evaluate("document.documentElement.scrollWidth"), where).toBeLessThanOrEqual(width);
      expect(await violations(), where).toEqual([]);
    }
  } finally {
    page = kept;
    await other.close();
  }
});

test("nothing was asked of anybody but this daemon, and the browser had nothing to complain of", () => {
  const { origin } = new URL(daemon.connection.url);
  const addresses = [...requests].map((address) => new URL(address));
  expect(addresses.filter((address) => address.origin !== origin).map(String)).toEqual([]);
  const asked = addresses.filter(({ protocol }) => protocol !== "blob:").map(({ pathname }) => pathname.split("/"));
  expect(new Set(asked.filter(([, first]) => first !== "dashboard").map((parts) => parts.slice(1, 3).join("/")))).toEqual(
    new Set(
      "checks collections documents events ingest jobs query settings sources status traces"
        .split(" ")
        .map((name) => `api/${name}`),
    ),
  );
  expect(complaints).toEqual([]);
});
