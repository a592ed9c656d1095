/** The dashboard's pages of labels, datasets, evaluation and the ledger, in a real browser, with real runs and a double of Confluence. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { CloudDouble } from "../e2e/harness/cloudDouble.ts";
import { ContractDaemon } from "./daemon";
import { DashboardBrowser, HOSTILE, LOOKS, QUESTION } from "./dashboardBrowser";
import { JudgeDouble } from "./judgeDouble";
import { PATIENCE_MS } from "../e2e/harness/wait.ts";

let dashboard: DashboardBrowser;
let page: Page;

const open = (hash: string): Promise<void> => dashboard.open(hash);
const violations = (): Promise<string[]> => dashboard.violations();
const api = <T>(method: string, path: string, body?: unknown): Promise<T> => dashboard.api<T>(method, path, body);

let double: CloudDouble;
const config = mkdtempSync(join(tmpdir(), "rag-contract-config-"));

beforeAll(async () => {
  double = await CloudDouble.start();
  const daemon = await ContractDaemon.start({
    RAG_CONFIG_DIR: config,
    RAG_SECRET_WIKI: double.info.token,
    RAG_SECURITY__ALLOWED_HOSTS: JSON.stringify(["127.0.0.1", "localhost"]),
  });
  dashboard = await DashboardBrowser.start(daemon, []);
  page = dashboard.page;
});

afterAll(async () => {
  await dashboard.stop();
  await double.stop();
  rmSync(config, { recursive: true, force: true });
});

test("passages of a question are labelled, also found ones, and a label is taken back", async () => {
  const labels = async (): Promise<{ grade: number; author: string; source: string; trace_id: string | null }[]> =>
    (await api<{ items: { grade: number; author: string; source: string; trace_id: string | null }[] }>("GET", "/api/labels"))
      .items;
  await open("#/questions");
  await page.getByRole("link", { name: QUESTION }).first().click();
  await page.getByRole("link", { name: "Label its passages" }).click();
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Your name").press("Tab");
  const cards = page.locator("article.judged");
  await cards.nth(1).waitFor();
  await cards.nth(0).getByLabel("Answers it").check();
  await page.getByText("Kept: Answers it").waitFor();
  await cards.nth(1).getByLabel("Does not answer").check();
  await page.getByText("Kept: Does not answer").waitFor();
  expect(await page.getByText(/^2 of \d+ passages judged$/).count()).toBe(1);
  expect((await labels()).map(({ grade, author }) => [grade, author]).sort()).toEqual([
    [0, "Ada"],
    [2, "Ada"],
  ]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Taken back").waitFor();
  expect((await labels()).map(({ grade }) => grade)).toEqual([2]);
  const before = await cards.count();
  await page.getByPlaceholder("Other words").fill("replicated job queue lease");
  await page.getByPlaceholder("Other words").press("Enter");
  await page.getByText("more passages stand above").waitFor();
  expect(await cards.count()).toBeGreaterThan(before);
  await cards.last().getByLabel("Has to do with it").check();
  await page.getByText("Kept: Has to do with it").waitFor();
  expect((await labels()).map(({ grade }) => grade).sort()).toEqual([1, 2]);
  await page.reload();
  await page.getByText(/^2 of \d+ passages judged$/).waitFor();
  expect(await violations()).toEqual([]);
  // A second person judges the same passages; they agree.
  const mine = await api<{ items: { chunk_id: string; collection: string; grade: number }[] }>("GET", "/api/labels");
  for (const { chunk_id, collection, grade } of mine.items)
    await api("POST", "/api/labels", { question: QUESTION, collection, chunk_id, grade, author: HOSTILE });
  await open("#/labels");
  await page.getByRole("group", { name: "Labelled questions" }).getByRole("row", { name: /Ada 2/ }).waitFor();
  await page.getByRole("row", { name: /100 %.*1 \(1 to 1\)/ }).waitFor();
  await page.getByRole("link", { name: QUESTION }).click();
  await page.getByText(/^2 of \d+ passages judged$/).waitFor();
});

test("labels become a dataset, and what was measured with it is compared question by question", async () => {
  const dataset = join(dashboard.daemon.folder, "labels.yaml");
  dashboard.rag("eval", "labels", "export", "--format", "golden", "--out", dataset, "--author", "Ada");
  for (const strategy of ["hybrid", "dense_only"])
    dashboard.rag(
      "eval",
      "run",
      "--dataset",
      dataset,
      "--collection",
      "default",
      "--no-rerank",
      "--name",
      `by ${strategy}`,
      "--strategy",
      strategy,
    );
  await open("#/evaluation");
  await page.getByRole("link", { name: /^by hybrid/ }).click();
  await page.getByText("95 % interval").first().waitFor();
  expect(await page.locator("svg.interval").count()).toBeGreaterThan(5);
  expect(await violations()).toEqual([]);
  await page.getByLabel("Metric").selectOption("hit@1");
  await page.locator("main[data-address*='metric=hit%401']:not([aria-busy])").waitFor();
  await page.getByRole("group", { name: "Questions" }).getByRole("link", { name: QUESTION }).click();
  await page.getByRole("link", { name: "Label its passages" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("Can be chance").first().waitFor();
  await page.getByLabel("Which questions").selectOption("all");
  await page.getByRole("link", { name: `Second: trace of ${QUESTION}` }).waitFor();
  expect(await violations()).toEqual([]);
  await page.getByRole("link", { name: `Second: trace of ${QUESTION}` }).click();
  await page.getByRole("heading", { level: 1, name: QUESTION }).waitFor();
});

test("a dataset is made on its page, its question's answer is found by a search, and it is measured there", async () => {
  await open("#/datasets");
  await page.getByLabel("Name", { exact: true }).fill("mine");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "mine" }).waitFor();
  await page.getByText("Add a question").click();
  await page.getByLabel("Question", { exact: true }).fill(QUESTION);
  await page.getByRole("button", { name: "Search" }).click();
  await page
    .getByRole("button", { name: /^This place answers it: / })
    .first()
    .click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 3, name: `1. ${QUESTION}` }).waitFor();
  await page.getByText(/^Change: /).click();
  await page.getByLabel("Question", { exact: true }).last().fill(HOSTILE);
  await page.getByRole("button", { name: "Save" }).last().click();
  await page.getByRole("heading", { level: 3, name: `1. ${HOSTILE}` }).waitFor();
  const { version } = await api<{ version: { digest: string; position: number } }>("GET", "/api/datasets/mine");
  expect(version.position).toBe(3);
  expect(await violations()).toEqual([]);
  await open("#/evaluation");
  await page.getByText("Measure how good the answers are").click();
  await page.getByLabel("Dataset", { exact: true }).selectOption("mine");
  await page.getByLabel("sparse_only", { exact: true }).check();
  await page.getByLabel("Name of the run").fill("from the page");
  expect(await violations()).toEqual([]);
  await page.getByRole("button", { name: "Measure", exact: true }).click();
  const row = page.getByRole("group", { name: "Started here" }).getByRole("row", { name: /from the page/ });
  await row.getByText("Done").waitFor();
  await row.getByRole("link", { name: /^sparse_only/ }).click();
  await page.getByText(`mine (${version.digest.slice(0, 8)})`).waitFor();
  await open("#/datasets/mine");
  expect(await page.getByRole("link", { name: /^from the page/ }).count()).toBe(2);
});

test("a sample of what people asked waits for labels, is labelled from its traces, and is measured then", async () => {
  await open("#/datasets");
  await page.getByLabel("Name of the sample").fill("asked");
  await page.getByLabel("How many").fill("100");
  await page.getByRole("button", { name: "Draw a sample" }).click();
  expect(await page.getByLabel("Name of the sample").count()).toBe(1); // the browser asks for the consent first
  await page.getByLabel("Those who asked agree that their questions are kept in a dataset").check();
  await page.getByRole("button", { name: "Draw a sample" }).click();
  await page.getByRole("heading", { level: 1, name: "asked" }).waitFor();
  const waiting = async (text = ""): Promise<number> =>
    (await api<{ questions: { total: number } }>("GET", `/api/datasets/asked?unlabelled=true&text=${text}`)).questions.total;
  expect(await waiting()).toBeGreaterThanOrEqual(4);
  expect(await violations()).toEqual([]);
  await page.getByLabel("Part of the question").fill("architecture");
  await page.getByRole("button", { name: "Find" }).click();
  await page.locator("main[data-address*='text=architecture']:not([aria-busy])").waitFor();
  await page.getByRole("link", { name: "Label its passages" }).click();
  await page.locator("article.judged").first().getByLabel("Answers it").check();
  await page.getByText("Kept: Answers it").waitFor();
  await open("#/datasets/asked");
  await page.getByRole("button", { name: "Take the labels over" }).click();
  await page.locator("main[data-address*='changed=']:not([aria-busy])").waitFor();
  expect(await waiting("architecture")).toBe(0);
  await page.getByRole("button", { name: "Show only these" }).click();
  await page.locator("main[data-address*='unlabelled=true']:not([aria-busy])").waitFor();
  expect(await page.getByRole("link", { name: "Label its passages" }).count()).toBe(Math.min(20, await waiting()));
});

test("a run is judged by a model that is chosen on the page, at a cost that is said before, and the choice stays", async () => {
  const judge = await JudgeDouble.start();
  try {
    const strategies = join(config, "strategies");
    mkdirSync(strategies, { recursive: true });
    writeFileSync(join(strategies, "judged.yaml"), `llm: {provider: openai_compatible, model: double, url: "${judge.url}"}\n`);
    await open("#/questions");
    await open("#/evaluation");
    await page.getByText("Measure how good the answers are").click();
    await page.getByLabel("Dataset", { exact: true }).selectOption("asked");
    await page.getByLabel("Name of the run").fill("judged");
    await page.getByLabel("Our own judge").check();
    await page.getByText(/^About \d+ calls to the model for \d+ questions/).waitFor();
    expect(judge.asked).toBe(0);
    // Installed or not, whatever this environment has.
    await page.getByRole("group", { name: "ragas" }).or(page.getByText("rag extras add ragas")).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole("button", { name: "Measure", exact: true }).click();
    const row = page.getByRole("group", { name: "Started here" }).getByRole("row", { name: /judged/ });
    await row.getByText("Done").waitFor();
    expect(judge.asked).toBeGreaterThan(1);
    await row.getByRole("link").click();
    await page.getByText(/openai_compatible double; \d+ of \d+ control questions right/).waitFor();
    await page.getByRole("rowheader", { name: "context_relevance" }).waitFor();
    await open("#/evaluation");
    await page.getByText("Measure how good the answers are").click();
    expect(await page.getByLabel("Our own judge").isChecked()).toBe(true);
    await open("#/questions");
  } finally {
    await judge.stop();
  }
});

test("an evaluation goes on through a reload while people ask, and is cancelled", async () => {
  const many = Array.from({ length: 3000 }, (_, at) => `- {id: q${at}, query: backups ${at}, answerable: false}\n`);
  await api("POST", "/api/datasets", { name: "many", text: many.join("") });
  await open("#/evaluation");
  await page.getByText("Measure how good the answers are").click();
  await page.getByLabel("Dataset", { exact: true }).selectOption("many");
  await page.getByLabel("Our own judge").uncheck(); // chosen again, as in the run before
  await page.getByRole("button", { name: "Measure", exact: true }).click();
  const bar = page.getByRole("group", { name: "Started here" }).locator("progress");
  await bar.waitFor();
  await page.reload();
  await bar.waitFor();
  expect((await api<{ results: unknown[] }>("POST", "/api/query", { query: QUESTION })).results.length).toBeGreaterThan(0);
  await page.getByText(/ \/ 3,000/).waitFor();
  await page.getByRole("button", { name: "Cancel: many" }).click();
  await page.getByRole("group", { name: "Started here" }).getByText("Cancelled").waitFor();
});

test("a search for better settings ends with a verdict on held-out questions", async () => {
  const { items } = await api<{ items: { source: string }[] }>("GET", "/api/documents?status=ready&page_size=4");
  const questions = Array.from({ length: 24 }, (_, at) => {
    const relevant = [{ source: items[at % items.length]?.source, place: {} }];
    return JSON.stringify({ id: `q${at}`, query: `backup of ${at}`, relevant });
  });
  await api("POST", "/api/datasets", { name: "tuning", text: questions.map((one) => `- ${one}\n`).join("") });
  await open("#/datasets/tuning");
  await open("#/evaluation");
  await page.getByText("Look for better settings").click();
  await page.getByLabel("Dataset", { exact: true }).selectOption("tuning");
  for (const box of await page.getByRole("group", { name: "What may be changed" }).getByRole("checkbox").all())
    await box.uncheck();
  await page.getByLabel("retrieval.mmr_lambda").check();
  await page.getByLabel("Minutes").fill("3");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const row = page.getByRole("group", { name: "Started here" }).getByRole("row", { name: /tuning/ });
  await row.getByText(/Nothing better found|Something better was found/).click();
  await row.getByText(/on questions that took no part in the choice/).waitFor();
  expect(await violations()).toEqual([]);
});

test("a source's ledger accounts for every item, and what was left out is tried again", async () => {
  const config = {
    base_url: double.info.confluence,
    deployment: "data_center",
    auth: { kind: "pat", token: "env:RAG_SECRET_WIKI" },
  };
  const source = { type: "confluence", name: "Wiki", collection: "default", public: true, config };
  const { id } = await api<{ id: string }>("POST", "/api/sources", source);
  await api("POST", "/api/sources", {
    type: "folder",
    name: HOSTILE,
    collection: "default",
    config: { path: dashboard.daemon.path("papers") },
  });
  const ended = async (): Promise<number> => {
    const { cycles } = await api<{ cycles: { phase: string }[] }>("GET", `/api/sources/${id}/ledger`);
    return cycles.filter(({ phase }) => phase === "done").length;
  };
  await expect.poll(ended, { timeout: PATIENCE_MS }).toBe(1);
  await open("#/ledger");
  await page.getByRole("row", { name: HOSTILE }).waitFor();
  await page.getByRole("link", { name: "Wiki" }).click();
  await page.getByText("Complete", { exact: true }).waitFor();
  await page.getByLabel("Which items").selectOption("indexed");
  await page.getByRole("rowheader", { name: double.info.title }).first().waitFor();
  expect(await violations()).toEqual([]);
  await page.getByRole("button", { name: "Read now: Wiki" }).click();
  await page.getByText("It is in the queue.").waitFor();
  await expect.poll(ended, { timeout: PATIENCE_MS }).toBe(2);
  await page.getByLabel("Which items").selectOption("skipped");
  await page.locator("main[data-address$='state=skipped']:not([aria-busy])").waitFor();
  await page.getByText("A kind of file that is not read").waitFor();
  await page.getByRole("button", { name: /^Try again: / }).click();
  await page
    .getByRole("row", { name: /Try again/ })
    .getByText("It is in the queue.")
    .waitFor();
  await expect.poll(ended, { timeout: PATIENCE_MS }).toBe(3);
  await page.reload();
  await page.getByRole("cell", { name: "Single items" }).waitFor();
});

test.each(LOOKS)("$name: no page is wider than its window, and axe finds nothing", async (look) => {
  const [trace] = (await api<{ items: { trace_id: string }[] }>("GET", "/api/traces?type=query")).items;
  const [judged = "", ...runs] = (await api<{ items: { run_id: string }[] }>("GET", "/api/evaluations")).items.map(
    ({ run_id }) => run_id,
  );
  const sources = (await api<{ items: { id: string }[] }>("GET", "/api/sources")).items;
  expect([runs.length, sources.length]).toEqual([4, 2]);
  await dashboard.look(look, [
    ...["#/labels", `#/labels/mark?trace=${trace?.trace_id ?? ""}`],
    ...[
      "#/evaluation",
      `#/evaluation/${judged}`,
      `#/evaluation/${runs[0] ?? ""}`,
      `#/evaluation/${runs[0] ?? ""}?against=${runs[1] ?? ""}`,
    ],
    ...["#/datasets", "#/datasets/mine", "#/datasets/many", "#/datasets/asked"],
    ...["#/ledger", ...sources.map(({ id }) => `#/ledger/${id}`)],
  ]);
});

test("nothing was asked of anybody but this daemon, and the browser had nothing to complain of", async () => {
  const asked = "collections datasets evaluations labels query sources traces";
  expect([...dashboard.asked()]).toEqual(expect.arrayContaining(asked.split(" ")));
  expect(await page.evaluate("globalThis.hit")).toBeUndefined();
});
