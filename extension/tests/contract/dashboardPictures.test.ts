/** The dashboard's pages of pictures in a real browser, of pictures that a stand-in for the editor's model has described. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { DaemonClient } from "../../src/core/client/daemonClient";
import { Lender } from "../../src/core/pictures/lender";
import type { VisionMessage, VisionModel } from "../../src/core/pictures/visionModel";
import { ContractDaemon } from "./daemon";
import { DashboardBrowser, HOSTILE, LOOKS } from "./dashboardBrowser";
import { SAMPLES } from "../e2e/harness/paths.ts";
import { screenshot } from "../e2e/harness/window.ts";
import { PATIENCE_MS, until } from "../e2e/harness/wait.ts";

const SCREEN = "admin-console-queues.png";

/** Says of every picture all that a profile can hold. */
const MODEL: VisionModel = {
  name: "Stand-in",
  ask: (messages: readonly VisionMessage[]) => {
    const kind = /taken for: (\w+)/.exec(messages.map(({ text }) => text).join("\n"))?.[1];
    return Promise.resolve(
      JSON.stringify({
        image_type: kind,
        title: HOSTILE,
        summary: `The path of a request, from its receipt to its archive. ${HOSTILE}`,
        key_points: ["Requests above 10,000 need a second signature.", "申請は部長の承認後に経理へ送られる。"],
        entities: ["Sales", "Accounting"],
        numbers: [{ name: "Limit", value: "10,000", unit: "EUR", context: "label of an arrow" }],
        uncertainties: ["The label of the last arrow is blurred."],
        table: {
          headers: ["Region", HOSTILE],
          rows: [
            ["Osaka", "1240"],
            ["=cmd()", ""],
          ],
        },
        nodes: [
          { id: "a", label: "Request received" },
          { id: "b", label: "Above 10,000?", shape: "diamond" },
          { id: "c", label: "Second signature by the head of department" },
          { id: "d", label: "経理で支払い処理を行う" },
          { id: "e", label: HOSTILE, shape: "round" },
          { id: "f", label: "Archive", shape: "cylinder" },
        ],
        edges: [
          { source: "a", target: "b" },
          { source: "b", target: "c", label: "yes" },
          { source: "b", target: "d", label: "no" },
          { source: "c", target: "d" },
          { source: "d", target: "e" },
          { source: "e", target: "f" },
          { source: "d", target: "a", label: "sent back" },
        ],
        chart: { series: [{ name: "2026", points: [{ x: "May", y: "3" }] }] },
        ui: { app: "Console", actions: ["Save"], errors: [] },
      }),
    );
  },
};

let dashboard: DashboardBrowser;
let stopped = false;
let lending: Promise<void>;
let screenId = "";
let flowId = "";

async function lend(client: DaemonClient): Promise<void> {
  const lender = new Lender("test", client.pictures, MODEL);
  while (!stopped) {
    const done = await lender.round(new AbortController().signal);
    if (done !== "described") await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Item {
  asset_id: string;
  source: string;
  state: string;
  image_type: string | null;
}

beforeAll(async () => {
  const daemon = await ContractDaemon.start({ RAG_CAPTIONS__PROVIDER: "editor" });
  copyFileSync(join(SAMPLES, "screenshots", SCREEN), daemon.path(SCREEN));
  copyFileSync(join(SAMPLES, "screenshots", SCREEN), daemon.path("zz-again.png"));
  // A name says what it is, so that it is described as what it is called.
  copyFileSync(join(SAMPLES, "screenshots", "admin-console-nodes-ja.png"), daemon.path("flowchart-of-approval.png"));
  lending = lend(new DaemonClient(daemon.connection));
  dashboard = await DashboardBrowser.start(daemon, []);
  const items = async (): Promise<Item[]> => (await dashboard.api<{ items: Item[] }>("GET", "/api/assets?page_size=100")).items;
  await until("the pictures are described", async () => {
    const states = (await items()).map(({ state }) => state);
    return states.length > 1 && states.every((state) => state === "described");
  });
  for (const { asset_id, source } of await items()) {
    if (source.endsWith(SCREEN)) screenId = asset_id;
    if (source.includes("flowchart")) flowId = asset_id;
  }
});

afterAll(async () => {
  stopped = true;
  await lending;
  await dashboard.stop();
});

test("from the list to a picture's page, with its words, its author and its drawing", async () => {
  const { page } = dashboard;
  await dashboard.open("#/pictures");
  await page.getByRole("row", { name: SCREEN }).locator("th a").first().click();
  await page.getByText("Described by editor Stand-in").first().waitFor();
  await page.getByText("lines were read").click();
  await page.locator("button.line").first().click();
  expect(await page.locator(".boxes rect[data-chosen]").count()).toBe(1);
  expect(await dashboard.violations()).toEqual([]);
  await dashboard.open(`#/pictures/${flowId}`);
  await page.locator(".drawing .step").first().waitFor();
  expect(await page.locator(".drawing .step").count()).toBe(6);
  // The words of a step are within its outline.
  const steps = await page.locator(".drawing .step").evaluateAll((found) =>
    found.map((step) => {
      const [outline, ...texts] = [...step.children].map((child) => child.getBoundingClientRect());
      return texts.every((text) => outline !== undefined && text.left >= outline.left - 1 && text.right <= outline.right + 1);
    }),
  );
  expect(steps).toEqual(steps.map(() => true));
  expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  expect(await dashboard.violations()).toEqual([]);
});

test("what two documents show is one row, which leads to both", async () => {
  const { page } = dashboard;
  await dashboard.open("#/pictures");
  await page.getByText("and 1 more like it").click();
  await page.getByText("These show the same.").waitFor();
  expect(await page.locator("tbody tr").count()).toBe(2);
});

test("a number that was not read in the picture stands among what is not certain", async () => {
  await dashboard.open(`#/pictures/${flowId}`);
  await dashboard.page.getByText(/numbers? (was|were) said that (was|were) not read in the picture/).waitFor();
  await dashboard.page.getByText("was said, but that number was not read in the picture").waitFor();
});

test("to the passage that it stands in, whose document tells of its pictures", async () => {
  const { page } = dashboard;
  await dashboard.open(`#/pictures/${screenId}`);
  await page.locator("a[href*='?chunk=']").first().click();
  await page.getByText(/pictures?: words, descriptions, drawings/).click();
  await page.locator(".pictured").getByText("Read in it:").first().waitFor();
});

test("it is described again when somebody wants that, and the former description gives way", async () => {
  const { page } = dashboard;
  const created = async (): Promise<string | undefined> =>
    (await dashboard.api<{ description: { created_at: string } | null }>("GET", `/api/assets/${screenId}/details`)).description
      ?.created_at;
  const before = await created();
  await dashboard.open(`#/pictures/${screenId}`);
  await page.getByRole("button", { name: "Describe again" }).click();
  await page.getByText("It is in the queue.").waitFor();
  await expect.poll(created, { timeout: PATIENCE_MS }).not.toBe(before);
});

test.each(LOOKS)("$name: no page of pictures is wider than its window, and axe finds nothing", async (look) => {
  await dashboard.look(look, ["#/pictures", `#/pictures/${screenId}`, `#/pictures/${flowId}`]);
});

test("nothing was asked of anybody but this daemon, and the browser had nothing to complain of", async () => {
  await screenshot(dashboard.page, "dashboard-picture");
  expect([...dashboard.asked()].filter((part) => part !== "").sort()).toEqual(expect.arrayContaining(["assets", "documents"]));
});
