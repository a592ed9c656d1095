import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { daemonGone, daemonReady, readDaemon, servers } from "../harness/daemon.ts";
import { Panel } from "../harness/panel.ts";
import { signal } from "../harness/processes.ts";
import { until } from "../harness/wait.ts";
import type { Window } from "../harness/window.ts";
import { QUESTIONS } from "../questions.ts";
import { editor } from "./shared.ts";

let panel: Panel;
let second: Window;

// In this order: each test begins where the one before it ended.
describe("the daemon", () => {
  beforeAll(async () => {
    panel = await Panel.ready(editor.window);
  });

  test("is started by the extension, and the status bar says that it is ready", async () => {
    const daemon = await daemonReady(editor.server.dataDir);
    expect(servers(editor.server.dataDir)).toEqual([daemon.pid]);
    await editor.window
      .statusBarItem("RAG")
      .filter({ hasNotText: /attention|start/i })
      .waitFor();
  });

  test("that is killed is started again, and questions are answered as before", async () => {
    const killed = await daemonReady(editor.server.dataDir);
    signal(killed.pid, "SIGKILL");
    await editor.window.notification("The RAG Assistant daemon ended unexpectedly and was started again.");
    const next = await until("another daemon is ready", async () => {
      const daemon = await daemonReady(editor.server.dataDir);
      return daemon.pid !== killed.pid && daemon;
    });
    expect(servers(editor.server.dataDir)).toEqual([next.pid]);
    const answer = await panel.ask(QUESTIONS.english.text);
    expect(await answer.getByTestId("passage").count()).toBeGreaterThan(0);
  });

  test("that is killed during a question answers it all the same", async () => {
    const { pid } = await daemonReady(editor.server.dataDir);
    signal(pid, "SIGKILL");
    const answer = await panel.ask(QUESTIONS.japanese.text);
    expect(await answer.getAttribute("data-state")).toBe("done");
    expect(await answer.getByTestId("passage").count()).toBeGreaterThan(0);
  });

  test("that hangs is told, a question to it ends, and a restart by its button brings another", async () => {
    const hung = await daemonReady(editor.server.dataDir);
    signal(hung.pid, "SIGSTOP");
    // Whatever comes of this test, the next ones need a daemon that runs.
    onTestFinished(() => {
      if (servers(editor.server.dataDir).includes(hung.pid)) signal(hung.pid, "SIGCONT");
    });
    const answer = await panel.ask(QUESTIONS.english.text);
    expect(await answer.getAttribute("data-state")).toBe("failed");
    expect(await answer.innerText()).toContain(`The daemon (process ${hung.pid}) runs but does not answer.`);
    await editor.window.statusBarItem("RAG").filter({ hasText: "needs attention" }).waitFor();
    await panel.screenshot("daemon-hangs");
    await answer.getByRole("button", { name: "Restart Server" }).click();
    await until("another daemon is ready", async () => (await daemonReady(editor.server.dataDir)).pid !== hung.pid);
    expect(await (await panel.tryAgain()).getByTestId("passage").count()).toBeGreaterThan(0);
  });

  test("is one for two windows", async () => {
    const before = await daemonReady(editor.server.dataDir);
    const folder = join(editor.server.folder, "second");
    mkdirSync(folder);
    second = await editor.openWindow(folder);
    await second.bridge.ready();
    const other = await Panel.ready(second);
    const answer = await other.ask(QUESTIONS.english.text);
    expect(await answer.getByTestId("passage").count()).toBeGreaterThan(0);
    expect(servers(editor.server.dataDir)).toEqual([before.pid]);
  });

  test("stays when one of two windows closes, and ends by itself after the last", async () => {
    const { pid } = await daemonReady(editor.server.dataDir);
    await second.close();
    const answer = await panel.ask(QUESTIONS.japanese.text);
    expect(await answer.getByTestId("passage").count()).toBeGreaterThan(0);
    expect(readDaemon(editor.server.dataDir)?.pid).toBe(pid);
    await editor.window.close();
    await daemonGone(editor.server.dataDir);
    expect(servers(editor.server.dataDir)).toEqual([]);
  });
});
