import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { CloudDouble } from "../harness/cloudDouble.ts";
import { daemonApi } from "../harness/daemon.ts";
import { Panel } from "../harness/panel.ts";
import { PATIENCE_MS, until } from "../harness/wait.ts";
import { editor, suite } from "./shared.ts";

let double: CloudDouble;

/** The step of the form that shows this text, as its prompt or in place of what is to be entered. */
async function step(text: string): Promise<void> {
  const widget = editor.window.page.locator(".quick-input-widget:visible");
  const shown = widget.filter({ hasText: text }).or(widget.filter({ has: editor.window.page.getByPlaceholder(text) }));
  await shown.first().waitFor({ timeout: PATIENCE_MS });
}

/** The suites that follow restart the daemon, and find no site any more. */
async function deleteSources(): Promise<void> {
  const api = await daemonApi(editor.server.dataDir);
  const { items } = await api<{ items: { id: string; type: string }[] }>("GET", "/api/sources");
  for (const { id, type } of items) if (type === "confluence") await api("DELETE", `/api/sources/${id}`);
}

async function enter(): Promise<void> {
  await editor.window.page.keyboard.press("Enter");
}

suite("a Confluence source", () => {
  beforeAll(async () => {
    double = await CloudDouble.start();
  });

  afterAll(async () => {
    await deleteSources();
    await double.stop();
  });

  test("is added by the form: a wrong token comes back to its step, and Escape leaves nothing behind", async () => {
    const { window } = editor;
    const { confluence, token } = double.info;
    await window.command("RAG Assistant: Add Confluence Space…");
    await step("The address in the browser");
    await window.screenshot("cloud-address");
    await window.answer(confluence);
    await step("Which kind of site is it?");
    await enter();
    await step("How do you sign in?");
    await window.pick("Personal access token");
    await step("Where is the token for reading kept?");
    await window.screenshot("cloud-keeper");
    await enter();
    await step("VS Code keeps it in its secret storage");
    await window.answer("no-such-token");
    await until("the refusal stands at the token", async () => {
      const message = window.page.locator(".quick-input-widget:visible .quick-input-message");
      return /token/i.test(await message.innerText()) && !(await message.innerText()).startsWith("VS Code keeps");
    });
    await window.screenshot("cloud-refused");
    await window.page.keyboard.press("Escape");
    await window.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await window.bridge.execute("ragAssistant.sources.focus");
    expect(await window.treeRow("Confluence").count()).toBe(0);

    await window.command("RAG Assistant: Add Confluence Space…");
    await step("The address in the browser");
    await window.answer(confluence);
    await step("Which kind of site is it?");
    await enter();
    await step("How do you sign in?");
    await window.pick("Personal access token");
    await step("Where is the token for reading kept?");
    await enter();
    await step("VS Code keeps it in its secret storage");
    await window.answer(token);
    await step("Which spaces are read?");
    await window.screenshot("cloud-spaces");
    await enter();
    await step("What is read besides the text?");
    await enter();
    await step("Who may see what was read?");
    await window.screenshot("cloud-access");
    await enter();
    await step("When is it read again?");
    await enter();
    await step("Into which collection?");
    await enter();
    await step("This would be read.");
    await window.screenshot("cloud-summary");
    await enter();
    await window.notification(/is being read/);
  });

  test("is read, and the tree tells what became of each item", async () => {
    const { window } = editor;
    await window.bridge.execute("ragAssistant.sources.focus");
    const row = window.treeRow(/Confluence.*(Next reading|Up to date)/);
    await row.waitFor({ timeout: 2 * PATIENCE_MS });
    await row.click();
    await window.page.keyboard.press("ArrowRight");
    await window.treeRow(/Last reading.*there = \d+ indexed/).waitFor();
    await window.screenshot("cloud-tree");
  });

  test("answers in the panel, and a citation opens the page at its place in the browser", async () => {
    const { window } = editor;
    const { question, title, confluence } = double.info;
    const panel = await Panel.ready(window);
    const answer = await panel.ask(question);
    const list = answer.locator("details.passages");
    if ((await list.getAttribute("open")) === null) await list.locator("summary").click();
    // The best passage of the page stands under a heading; one of its beginning would lead to no heading.
    const passage = answer.locator(".passage-card").filter({ hasText: title }).getByTestId("passage").first();
    await passage.waitFor();
    await window.screenshot("cloud-answer");
    const context = window.page.context();
    const opened = context.waitForEvent("page", { timeout: PATIENCE_MS });
    const asked = context.waitForEvent("request", (request) => request.url().includes("/viewpage.action"));
    await passage.getByRole("button").first().click();
    const page = await opened;
    expect((await asked).url()).toMatch(new RegExp(`${new URL(confluence).pathname}/pages/viewpage\\.action\\?pageId=\\d+$`));
    // The heading as Data Center names it; nobody is signed in there, so the site shows its log-in page at last.
    await until("the browser is at the heading", () => page.url().includes("#"));
    expect(decodeURIComponent(page.url())).toContain(`#${title.replaceAll(" ", "")}-`);
    await page.close();
  });

  test("without the person's token finds nothing, says so, and offers to set it", async () => {
    const { window } = editor;
    const { question, title } = double.info;
    await window.command("RAG Assistant: Forget Source Token…");
    await window.notification(/is forgotten/);
    await window.bridge.execute("ragAssistant.sources.focus");
    await window.treeRow(/Waits for its token/).waitFor();
    const panel = await Panel.ready(window);
    const answer = await panel.ask(question);
    const line = answer.getByTestId("left-out");
    await line.filter({ hasText: /need your token/ }).waitFor();
    expect(await answer.locator(".passage-card").filter({ hasText: title }).count()).toBe(0);
    await window.screenshot("cloud-left-out");
    await line.getByRole("button").click();
    await window.answer(double.info.token);
    await window.notification(/is kept by VS Code/);
    const again = await panel.ask(question);
    await again.getByTestId("citation").first().waitFor();
    expect(await again.getByTestId("left-out").count()).toBe(0);
  });

  test("has a ledger in which every item is accounted for", async () => {
    const { window } = editor;
    await window.bridge.execute("ragAssistant.sources.focus");
    await window.treeRow(/Confluence/).click();
    await window.bridge.execute("ragAssistant.showLedger");
    const ledger = window.viewer();
    await ledger.getByRole("heading", { level: 1, name: /^Confluence/ }).waitFor();
    const readings = ledger.getByRole("group", { name: "Readings" });
    await readings.getByRole("row").nth(1).waitFor();
    for (const row of (await readings.getByRole("row").all()).slice(1)) {
      const [there = 0, indexed = 0, leftOut = 0] = (await row.getByRole("cell").allInnerTexts()).slice(2, 5).map(Number);
      expect(there).toBeGreaterThan(0);
      expect(there).toBe(indexed + leftOut);
    }
    expect(await ledger.getByRole("cell", { name: "Complete", exact: true }).count()).toBeGreaterThan(0);
    await window.screenshot("cloud-ledger");
  });

  test("leaves its token in no file of the editor's logs and of the daemon's data", () => {
    const { server } = editor;
    const holders = [join(server.folder, "user", "logs"), server.dataDir].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((name) => join(folder, name))
        .filter((path) => statSync(path).isFile() && readFileSync(path).includes(double.info.token)),
    );
    expect(holders).toEqual([]);
  });
});
