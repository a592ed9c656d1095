import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ingestSamples, readDaemon } from "./harness/daemon.ts";
import { Editor } from "./harness/editor.ts";
import { SAMPLES, ragExecutable } from "./harness/paths.ts";
import { until } from "./harness/wait.ts";
import { QUESTIONS } from "./questions.ts";

/** The editor puts the server's name before a tool's. */
const TOOL = /^mcp_.*_query_knowledge_hub$/;

interface Found {
  results: { source: string; content: string }[];
  citations: { id: number; source: string }[];
}

// The daemon starts several times here: without a model it does so in a moment.
const env = {
  RAG_EMBEDDING__PROVIDER: "fake",
  RAG_DENSE__BACKEND: "exact",
  RAG_SPARSE__BACKEND: "fts5",
  RAG_SPARSE__ANALYZER: "bigram",
};
const folder = mkdtempSync(join(tmpdir(), "rag-e2e-mcp-"));
const workspace = join(folder, "workspace");
const data = join(folder, "data");
let editor: Editor;

beforeAll(async () => {
  mkdirSync(data);
  await ingestSamples(data, join(SAMPLES, dirname(QUESTIONS.english.source)), env);
  const settings = { "ragAssistant.server.executable": ragExecutable(), "ragAssistant.transport": "mcp" };
  editor = await Editor.launch({ workspace, data, env, settings });
  await editor.window.bridge.ready();
});

afterAll(async () => {
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
});

async function toolName(): Promise<string | undefined> {
  return (await editor.window.bridge.tools()).map(({ name }) => name).find((name) => TOOL.test(name));
}

/** The editor starts servers for a message to its agent; this is that start without the message. */
async function startServers(): Promise<void> {
  await editor.window.bridge.execute("workbench.mcp.startServer", "*", { waitForLiveTools: true });
}

/** What the editor's agent gets: where a result has typed fields, the editor gives it these in place of the text. */
async function ask(tool: string): Promise<Found> {
  const parts = await editor.window.bridge.invokeTool(tool, { query: QUESTIONS.english.text });
  return JSON.parse(parts.join("")) as Found;
}

async function startAndAsk(): Promise<Found> {
  const tool = await until("the editor lists the tools of the MCP server", async () => {
    await startServers();
    return await toolName();
  });
  return await ask(tool);
}

function expectCited({ results, citations }: Found): void {
  const source = basename(QUESTIONS.english.source);
  expect(results[0]?.source).toBe(source);
  expect(results[0]?.content).toContain("kestrelctl shard elect");
  expect(citations.map(({ id }) => id)).toEqual(results.map((_, index) => index + 1));
  expect(citations[0]?.source).toBe(source);
}

/** All that the editor and its extensions wrote down. */
function written(): string {
  const folder = join(editor.server.folder, "user");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

/** The servers that the editor lists to people, with their state. */
async function listed(picture: string): Promise<string[]> {
  const { window } = editor;
  window.bridge.begin("workbench.mcp.listServer");
  const rows = window.page.locator(".quick-input-widget:visible .monaco-list-row");
  await rows.first().waitFor();
  const labels = await rows.allInnerTexts();
  await window.screenshot(picture);
  await window.page.keyboard.press("Escape");
  return labels.map((label) => label.replaceAll(/\s+/g, " "));
}

describe("the editor's own MCP client", () => {
  test("gets numbered passages from the daemon's address", async () => {
    expectCited(await startAndAsk());
    expect(await listed("mcp-http")).toContain("RAG AssistantRunning RAG Assistant");
  });

  test("goes on with the daemon that follows another", async () => {
    const { bridge } = editor.window;
    const before = readDaemon(editor.server.dataDir)?.pid;
    await bridge.execute("ragAssistant.restartDaemon");
    await until("another daemon serves", () => {
      const daemon = readDaemon(editor.server.dataDir);
      return daemon?.url !== undefined && daemon.pid !== before;
    });
    const tool = await until("the tool is listed again", toolName);
    expectCited(await ask(tool));
  });

  test("gets the same by the command `rag mcp`", async () => {
    const { bridge } = editor.window;
    await bridge.setting("ragAssistant.mcp.server", "stdio");
    await until("the server at the daemon's address is gone", async () => (await toolName()) === undefined);
    expectCited(await startAndAsk());
    const servers = (await listed("mcp-stdio")).filter((label) => label.includes("RAG Assistant"));
    expect(servers).toEqual(["RAG Assistant (stdio)Running RAG Assistant"]);
  });

  test("leaves the daemon's token in no log and no file of the editor's", () => {
    const token = readDaemon(editor.server.dataDir)?.token ?? "";
    expect(token).not.toBe("");
    expect(written()).toContain("RAG Assistant");
    expect(written()).not.toContain(token);
  });

  test("is offered nothing by the extension that uses REST", async () => {
    await editor.window.bridge.setting("ragAssistant.transport", "rest");
    await until("the tools are gone", async () => (await toolName()) === undefined);
    await startServers();
    expect(await toolName()).toBeUndefined();
    expect((await listed("mcp-none")).join()).not.toContain("RAG Assistant");
  });

  test("starts `rag mcp` from a workspace's own list of servers", async () => {
    const server = { command: ragExecutable(), args: ["mcp"], env: { RAG_MCP__ENABLED: "true" } };
    mkdirSync(join(workspace, ".vscode"));
    writeFileSync(join(workspace, ".vscode", "mcp.json"), JSON.stringify({ servers: { "rag-assistant": server } }));
    expectCited(await startAndAsk());
    expect((await listed("mcp-json")).join()).toMatch(/rag-assistantRunning .*mcp\.json/);
  });
});
