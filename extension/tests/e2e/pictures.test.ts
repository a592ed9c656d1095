/** The editor's own model describes pictures: asked for, agreed to, lent, refused, used up, and gone in the middle of a picture. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { daemonApi, type DaemonApi } from "./harness/daemon.ts";
import { Editor } from "./harness/editor.ts";
import { modelRequests } from "./harness/modelLog.ts";
import { launchWithSamples } from "./harness/ready.ts";
import { PATIENCE_MS, until } from "./harness/wait.ts";
import type { Window } from "./harness/window.ts";

interface Details {
  description: { summary: string; provider: string; model: string } | null;
  descriptions: { provider: string; error: string | null }[];
}

let editor: Editor;
let window: Window;

beforeAll(async () => {
  editor = await launchWithSamples();
  window = editor.window;
});

afterAll(() => editor.close());

const api: DaemonApi = async (method, path, body) => (await daemonApi(editor.server.dataDir))(method, path, body);

const details = (id: string): Promise<Details> => api("GET", `/api/assets/${id}/details`);
const asked = (model: string): number =>
  modelRequests(editor.server.modelLog).filter((request) => request.model === model).length;
const total = async (state: string): Promise<number> =>
  (await api<{ total: number }>("GET", `/api/assets?state=${state}&page_size=1`)).total;

/** Choose a model in the command, and how many pictures a day; the question about consent is open then. */
async function choose(model: string): Promise<void> {
  await window.bridge.execute("notifications.clearAll");
  window.bridge.begin("ragAssistant.describePictures");
  // Other rows name models, too.
  const row = window.page
    .locator(".quick-input-widget:visible .monaco-list-row")
    .filter({ hasText: new RegExp(`^\\s*${model}\\s*rag-test`) });
  await row.first().click();
  await window.pick("No limit");
}

async function agree(model: string): Promise<void> {
  await choose(model);
  const dialog = await window.dialog(`Let ${model} describe the pictures of your documents?`);
  await dialog.getByRole("button", { name: "Describe Pictures" }).click();
}

describe("describing pictures by the editor's model", () => {
  test("is agreed to once, in words that say what is sent, to whom, how many, and how to stop; before that nothing is sent", async () => {
    await until("the daemon has described a picture by itself", async () => isBy(await first(), "rules"), 3 * PATIENCE_MS);
    await choose("RAG test sees");
    const dialog = await window.dialog("Let RAG test sees describe the pictures of your documents?");
    const text = await dialog.innerText();
    for (const part of ["What is sent: each picture", "To whom: RAG test sees of “rag-test”", "How many:", "To stop: run"])
      expect(text).toContain(part);
    await window.screenshot("pictures-consent");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(asked("sees")).toBe(0);
    expect((await details(await first())).description?.provider).toBe("rules");
  });

  test("is refused to a model that does not see, which gets no picture of the documents", async () => {
    await agree("RAG test blind");
    await window.notification("RAG test blind did not see the test picture.");
    const requests = modelRequests(editor.server.modelLog).filter(({ model }) => model === "blind");
    expect(requests.map(({ messages }) => messages.length)).toEqual([1]);
    expect(requests[0]?.messages[0]?.text).toContain("two halves");
  });

  test("reaches every picture, is searched, and says whose words these are", async () => {
    await agree("RAG test sees");
    await window.notification("RAG test sees describes pictures from now on");
    const id = await first();
    const described = async (): Promise<boolean> => (await total("missing")) === 0 && (await isBy(id, "editor"));
    // Eleven, one after the other, whose words are read first where rules had not come to them.
    await until("all pictures are described", described, 3 * PATIENCE_MS);
    const { description } = await details(id);
    expect([description?.provider, description?.model]).toEqual(["editor", "RAG test sees"]);
    expect(description?.summary).toContain("A heron stands beside a picture of many bytes");
    expect(await statusBar()).toContain("RAG test sees describes pictures (");
    await until("the description is searched", async () => {
      const found = await api<{ results: { images: { described_by: string | null }[] }[] }>("POST", "/api/query", {
        query: "heron beside a picture",
        strategy: "sparse_only",
      });
      return found.results.some(({ images }) => images.some(({ described_by }) => described_by === "editor RAG test sees"));
    });
    await window.screenshot("pictures-described");
  });

  test("is not asked again after a reload: the window goes on lending", async () => {
    await window.reload();
    const before = asked("sees");
    const id = await first();
    await api("POST", "/api/assets/caption", { asset_ids: [id], anew: true });
    await until("the picture is described after the reload", () => asked("sees") > before);
  });

  test("a refusal of the model is kept with its reason, and the others are described all the same", async () => {
    await agree("RAG test sees-refuses");
    await window.notification("RAG test sees-refuses describes pictures from now on");
    const id = await first();
    await api("POST", "/api/assets/caption", { asset_ids: [id], anew: true });
    await until("the refusal is kept", async () =>
      (await details(id)).descriptions.some(({ error }) => error?.includes("refuses to look at this")),
    );
  });

  test("a quota that is used up pauses it, costs no attempt, and is told in the status bar", async () => {
    await agree("RAG test sees-quota");
    await window.notification("RAG test sees-quota describes pictures from now on");
    const id = await first();
    const before = (await details(id)).descriptions.length;
    await api("POST", "/api/assets/caption", { asset_ids: [id], anew: true });
    await until("the model was asked", () => asked("sees-quota") > 1);
    await until("the status bar says why", async () => (await statusBar()).includes("You have exceeded your chat quota."));
    expect((await details(id)).descriptions.length).toBe(before);
    expect(asked("sees-quota")).toBe(2);
  });

  test("a window that closes in the middle of a picture costs nothing, and another window goes on", async () => {
    await agree("RAG test sees-never");
    await window.notification("RAG test sees-never describes pictures from now on");
    const id = await first();
    await api("POST", "/api/assets/caption", { asset_ids: [id], anew: true });
    await until("the first window's model has the picture", () => asked("sees-never") > 1);
    const folder = join(editor.server.folder, "second");
    mkdirSync(folder, { recursive: true });
    const second = await editor.openWindow(folder);
    await second.bridge.ready();
    await window.close();
    window = second;
    await until("the second window's model has it", () => asked("sees-never") > 2);
    const failed = (await details(id)).descriptions.filter(({ error }) => error?.includes("window"));
    expect(failed).toEqual([]);
    await agree("RAG test sees");
    await window.notification("RAG test sees describes pictures from now on");
    await until("the other model describes it", async () => isBy(id, "editor"));
  });

  test("is stopped by its command: nothing is sent from then on, and what was said stays", async () => {
    await window.bridge.execute("notifications.clearAll");
    await window.bridge.execute("ragAssistant.stopDescribingPictures");
    await window.notification("No picture is sent to the editor's model any more.");
    const id = await first();
    await until("the daemon describes by itself", () => isBy(id, "rules"));
    const before = asked("sees");
    // Other pictures wait for another try; this one has been looked at.
    const { job_id } = await api<{ job_id: string }>("POST", "/api/assets/caption", { asset_ids: [id], anew: true });
    // Behind the first look at whatever else the daemon describes by itself from now on.
    expect(await until("it is described anew", () => ending(job_id))).toBe("completed");
    expect(asked("sees")).toBe(before);
    expect((await details(id)).descriptions.some(({ provider }) => provider === "editor")).toBe(true);
  });
});

describe("an editor without a model that sees", () => {
  test("says so, and what helps", async () => {
    const blind = await launchWithSamples({ env: { TEST_KIT_MODELS: "blind" } });
    try {
      blind.window.bridge.begin("ragAssistant.describePictures");
      await blind.window.notification("The editor has no language model that sees pictures.");
    } finally {
      await blind.close();
    }
  });
});

let known = "";

/** The picture that is a document of its own. */
async function first(): Promise<string> {
  if (known !== "") return known;
  const { items } = await api<{ items: { asset_id: string; source: string }[] }>("GET", "/api/assets?page_size=100");
  known = items.find(({ source }) => source.endsWith("admin-console-queues.png"))?.asset_id ?? "";
  if (known === "") throw new Error("The samples have no such picture.");
  return known;
}

/** What the status bar says to a screen reader. */
async function statusBar(): Promise<string> {
  return (await window.statusBarItem("RAG").locator("a").first().getAttribute("aria-label")) ?? "";
}

/** How a job has ended, once it has. */
async function ending(job: string): Promise<string | false> {
  const { status } = await api<{ status: string }>("GET", `/api/jobs/${job}`);
  return ["completed", "failed", "cancelled"].includes(status) && status;
}

/** Also while the daemon starts anew: then nobody says anything. */
async function isBy(id: string, provider: string): Promise<boolean> {
  const known = await details(id).catch(() => undefined);
  return known?.description?.provider === provider;
}
