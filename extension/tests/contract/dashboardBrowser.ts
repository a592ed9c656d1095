/** The dashboard of a daemon in a real browser, for the suites that look at it. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";
import { expect } from "vitest";

import { DaemonClient } from "../../src/core/client/daemonClient";
import { ContractDaemon } from "./daemon";
import { AXE, browserPath, ragExecutable } from "../e2e/harness/paths.ts";
import { PATIENCE_MS } from "../e2e/harness/wait.ts";

export const QUESTION = "How long are backups kept?";
export const HOSTILE = `<img src=x onerror="globalThis.hit=1"> backups </title><script>globalThis.hit=1</script>`;

export const LOOKS = [
  { name: "dark", scheme: "dark", width: 1280, locale: "en-US", heading: "Questions" },
  { name: "narrow", scheme: "light", width: 360, locale: "en-US", heading: "Questions" },
  { name: "Japanese", scheme: "light", width: 1280, locale: "ja-JP", heading: "質問" },
  { name: "Chinese", scheme: "dark", width: 360, locale: "zh-CN", heading: "问题" },
] as const;

export class DashboardBrowser {
  /** Every address that was asked for, without parameters, and every complaint of the browser. */
  readonly requests = new Set<string>();
  readonly complaints: string[] = [];

  private constructor(
    readonly daemon: ContractDaemon,
    private readonly browser: Browser,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  /** Of a daemon that has read its documents, but for `failing`, and was asked some questions. */
  static async start(daemon: ContractDaemon, failing: readonly string[]): Promise<DashboardBrowser> {
    const client = new DaemonClient(daemon.connection);
    for await (const { result } of client.jobProgress((await client.ingest([daemon.path()], undefined)).job_id)) {
      expect((result?.failed ?? []).map(({ source }) => source)).toEqual(result ? failing : []);
    }
    const browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", "--disable-gpu"] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US" });
    context.setDefaultTimeout(PATIENCE_MS);
    const made = new DashboardBrowser(daemon, browser, context, await context.newPage());
    for (const query of [QUESTION, HOSTILE, "the architecture of a replicated job queue", "バックアップの保存期間は?"])
      await made.api("POST", "/api/query", { query });
    made.watch(context);
    await made.enter(made.page);
    await made.page.waitForSelector("h1");
    return made;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.daemon.stop();
    this.daemon.remove();
  }

  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { url, token } = this.daemon.connection;
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as T;
  }

  /** A command of `rag`, which asks the daemon; it must succeed. */
  rag(...given: string[]): string {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RAG_"));
    const env = { ...Object.fromEntries(inherited), RAG_DATA_DIR: join(this.daemon.folder, "data") };
    return execFileSync(ragExecutable(), given, { env, encoding: "utf8", cwd: this.daemon.folder });
  }

  /** Go to an address of the dashboard, and wait until its page is drawn. */
  async open(hash: string, page = this.page): Promise<void> {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator(`main[data-address=${JSON.stringify(hash)}]:not([aria-busy])`).waitFor();
  }

  async violations(page = this.page): Promise<string[]> {
    await page.evaluate(readFileSync(AXE, "utf8"));
    const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>("axe.run(document)");
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }

  /** No page is wider than its window, and axe finds nothing. */
  async look({ scheme, width, locale, heading }: (typeof LOOKS)[number], pages: readonly string[]): Promise<void> {
    const other = await this.browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme, locale });
    this.watch(other);
    try {
      other.setDefaultTimeout(PATIENCE_MS);
      const page = await other.newPage();
      await this.enter(page);
      await this.open("#/questions", page);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      for (const where of pages) {
        await this.open(where, page);
        expect(await page.evaluate("document.documentElement.scrollWidth"), where).toBeLessThanOrEqual(width);
        expect(await this.violations(page), where).toEqual([]);
      }
    } finally {
      await other.close();
    }
  }

  /** Parts of the API that the pages asked; what was asked of anybody else, and complaints, fail. */
  asked(): Set<string> {
    const { origin } = new URL(this.daemon.connection.url);
    const addresses = [...this.requests].map((address) => new URL(address));
    expect(addresses.filter((address) => address.origin !== origin).map(String)).toEqual([]);
    expect(this.complaints).toEqual([]);
    const paths = addresses.filter(({ protocol }) => protocol !== "blob:").map(({ pathname }) => pathname.split("/"));
    return new Set(paths.filter(([, first]) => first !== "dashboard").map((parts) => parts.slice(2, 3).join("/")));
  }

  private async enter(page: Page): Promise<void> {
    await page.goto(this.daemon.connection.url + (await this.api<{ path: string }>("POST", "/api/dashboard-link")).path);
  }

  /** Notes what a browser's pages ask for, and what they complain of. */
  private watch(context: BrowserContext): void {
    context.on("request", (request) => this.requests.add(request.url().split(/[?#]/)[0] ?? ""));
    context.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.complaints.push(message.text());
    });
    context.on("weberror", (error) => this.complaints.push(String(error.error())));
  }
}
