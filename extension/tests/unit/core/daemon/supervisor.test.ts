import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, type Socket, connect, createServer as createGate } from "node:net";
import path from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { isAlive } from "../../../../src/core/daemon/daemonInfo";
import type { ServerSpec } from "../../../../src/core/daemon/serverSpec";
import type { Notice, DaemonStatus } from "../../../../src/core/daemon/status";
import type { Supervisor } from "../../../../src/core/daemon/supervisor";
import { type Behaviour, FakeRag, comesTo } from "./fakeRag";

const opened: FakeRag[] = [];

function fake(behaviour?: Behaviour): FakeRag {
  const rag = new FakeRag(behaviour);
  opened.push(rag);
  return rag;
}

function noticesOf(window: Supervisor): Notice[] {
  const notices: Notice[] = [];
  window.onNotice((notice) => notices.push(notice));
  return notices;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((rag) => rag.close()));
});

describe("a window", { timeout: 60_000 }, () => {
  it("starts the daemon when there is none, so that it ends by itself some time after the last window", async () => {
    const rag = fake();
    const window = rag.window();
    const client = await window.client();
    expect(client.connection.url).toBe(rag.info.url);
    expect(window.live?.changes).toBe("1");
    expect(rag.starts).toEqual(["serve --port 0 --stop-when-unused 20"]);
    expect(rag.lines.join("\n")).not.toContain(client.connection.token);
  });

  it("uses the daemon that another window has started, and leaves it running when it closes", async () => {
    const rag = fake();
    const [first, second] = [rag.window(), rag.window()];
    await first.client();
    await second.client();
    await first.dispose();
    expect(rag.starts).toHaveLength(1);
    expect(isAlive(rag.info.pid)).toBe(true);
    expect(second.status.kind).toBe("ready");
  });

  it("shares one daemon with another window that opens at the same moment", async () => {
    const rag = fake();
    const clients = await Promise.all([rag.window().client(), rag.window().client(), rag.window().client()]);
    expect(new Set(clients.map((client) => client.connection.url))).toEqual(new Set([rag.info.url]));
    expect(rag.starts).toHaveLength(1);
  });

  it("waits for another process that opens the data directory, and uses its daemon", async () => {
    const rag = fake({ opensAfterMs: 1_500 });
    const { command, env, dataDir } = rag.server;
    const other = spawn(command, ["serve"], { env: { ...process.env, ...env, RAG_DATA_DIR: dataDir } });
    await expect.poll(() => existsSync(path.join(dataDir, "daemon.json")), { timeout: 20_000 }).toBe(true);
    const window = rag.window();
    const details: string[] = [];
    window.onDidChangeStatus((status) => details.push(status.kind === "starting" ? status.detail : status.kind));
    await window.client();
    expect(details).toContain(`Waiting for process ${other.pid ?? 0}, which has the data directory open`);
    expect(rag.info.pid).toBe(other.pid);
  });

  it("starts a daemon when one that did not answer is gone", async () => {
    const rag = fake();
    const silent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    mkdirSync(rag.dataDir);
    const info = { pid: silent.pid, version: "0.1.0", url: "http://127.0.0.1:9", token: "token" };
    writeFileSync(path.join(rag.dataDir, "daemon.json"), JSON.stringify(info));
    const window = rag.window();
    window.onDidChangeStatus((status) => status.kind === "starting" && status.detail && silent.kill("SIGKILL"));
    await window.client();
    expect(rag.starts).toHaveLength(1);
  });

  it("waits when the data directory was taken while the daemon started", async () => {
    const rag = fake({ fails: { code: 4, says: "in use" } });
    const window = rag.window();
    window.start();
    await expect.poll(() => rag.starts.length, { timeout: 20_000 }).toBeGreaterThan(1);
    rag.behave({});
    await window.client();
  });

  it.each([true, false])("replaces an older daemon, and says so once (it can be asked to stop: %s)", async (hasStop) => {
    const rag = fake({ version: "0.0.9", hasStop });
    await rag.window(() => ({ ...rag.server, version: "0.0.9" })).client();
    const old = rag.info.pid;
    rag.behave({});
    const window = rag.window();
    const notices = noticesOf(window);
    await window.client();
    expect(isAlive(old)).toBe(false);
    expect(rag.info.pid).not.toBe(old);
    expect(notices).toEqual([{ kind: "replaced", version: "0.0.9" }]);
  });

  it("ends the daemon before its program is replaced, and the other windows leave it alone", async () => {
    const rag = fake();
    const [first, second] = [rag.window(), rag.window(() => ({ kind: "setupNeeded", reason: "updated" }))];
    await first.client();
    const { pid } = rag.info;
    await second.stopForUpdate();
    await comesTo(first, "stopped");
    expect(isAlive(pid)).toBe(false);
    expect(rag.starts).toHaveLength(1);
  });

  it("uses a newer daemon", async () => {
    const rag = fake({ version: "0.2.0" });
    await rag.window().client();
    const window = rag.window();
    await window.client();
    expect(window.status).toMatchObject({ kind: "ready", version: "0.2.0" });
    expect(rag.starts).toHaveLength(1);
  });

  it("keeps an older daemon that the given program would only start again", async () => {
    const rag = fake({ version: "0.0.9" });
    const { command, dataDir, transport } = rag.server;
    const spec: ServerSpec = { kind: "executable", command, env: {}, dataDir, transport };
    await rag.window(() => spec).client();
    await rag.window(() => spec).client();
    expect(rag.starts).toHaveLength(1);
  });

  it("gets the daemon back after a crash, and says so", async () => {
    const rag = fake();
    const window = rag.window();
    const notices = noticesOf(window);
    await window.client();
    const first = rag.info.pid;
    process.kill(first, "SIGKILL");
    await comesTo(window, "starting");
    await comesTo(window, "ready");
    expect(rag.info.pid).not.toBe(first);
    expect(notices).toEqual([{ kind: "recovered" }]);
  });

  it("starts a daemon again that ended in good order, and says nothing", async () => {
    const rag = fake();
    const window = rag.window();
    const notices = noticesOf(window);
    await window.client();
    process.kill(rag.info.pid, "SIGTERM");
    await comesTo(window, "starting");
    await comesTo(window, "ready");
    expect(notices).toEqual([]);
    expect(rag.starts).toHaveLength(2);
  });

  it("gives up after five crashes, says why, and tries again when asked to", async () => {
    const rag = fake({ fails: { code: 1, says: "ImportError: no module named x" } });
    const window = rag.window();
    const notices = noticesOf(window);
    window.start();
    const { problem } = await comesTo(window, "attention");
    expect(rag.starts).toHaveLength(5);
    expect(problem.message).toContain("no module named x");
    expect(notices).toEqual([{ kind: "gaveUp", problem }]);
    await expect(window.client()).rejects.toThrow("no module named x");
    rag.behave({});
    await window.restart();
    await window.client();
  });

  it.each([
    [2, "SETTINGS_INVALID"],
    [3, "MODEL_MISSING"],
  ])("does not repeat a start that ended with exit code %i", async (code, expected) => {
    const rag = fake({ fails: { code, says: "This is why." } });
    const window = rag.window();
    window.start();
    const { problem } = await comesTo(window, "attention");
    expect(problem).toMatchObject({ code: expected });
    expect(problem.message).toContain("This is why.");
    expect(rag.starts).toHaveLength(1);
  });

  it("says that a program can't be run", async () => {
    const rag = fake();
    const window = rag.window(() => ({ ...rag.server, command: "/nowhere/rag" }));
    await expect(window.client()).rejects.toMatchObject({ code: "EXECUTABLE_FAILED" });
  });

  it("stops the daemon for all windows, and starts it when it is needed", async () => {
    const rag = fake();
    const [first, second] = [rag.window(), rag.window()];
    await first.client();
    await second.client();
    const { pid } = rag.info;
    await first.stop();
    await comesTo(second, "stopped");
    expect(first.status.kind).toBe("stopped");
    expect(isAlive(pid)).toBe(false);
    await second.client();
    expect(rag.starts).toHaveLength(2);
  });

  it("restarts the daemon when the settings name another, and not when they name the same", async () => {
    const rag = fake();
    let env: Record<string, string> = {};
    const window = rag.window(() => ({ ...rag.server, env }));
    await window.client();
    const first = rag.info.pid;
    await window.refresh();
    expect(window.status.kind).toBe("ready");
    env = { HF_ENDPOINT: "https://hub.example.com" };
    await Promise.all([window.refresh(), window.refresh()]);
    await window.client();
    expect(rag.info.pid).not.toBe(first);
    expect(rag.starts).toHaveLength(2);
  });

  it("says that the set-up is needed, and goes on once it is done", async () => {
    const rag = fake();
    let spec: ServerSpec = { kind: "setupNeeded", reason: "new" };
    const window = rag.window(() => spec);
    await expect(window.client()).rejects.toMatchObject({ code: "SETUP_NEEDED" });
    spec = rag.server;
    await window.refresh();
    await window.client();
  });

  it("says that a daemon lacks what it needs", async () => {
    const window = fake({ hasEvents: false }).window();
    await expect(window.client()).rejects.toMatchObject({ code: "SERVER_INCOMPATIBLE" });
  });
});

describe("a server at an address", { timeout: 60_000 }, () => {
  it("that refuses the token asks for another, and is used with the right one", async () => {
    const rag = fake();
    await rag.window().client();
    const { url = "", token = "" } = rag.info;
    let given = "wrong";
    const window = rag.window(() => ({ kind: "url", url, token: given, transport: "rest" }));
    window.start();
    const { problem } = await comesTo(window, "attention");
    expect(problem.actions[0]?.command).toBe("ragAssistant.setServerToken");
    given = token;
    await window.refresh();
    await window.client();
    expect(rag.lines.join("\n")).not.toContain(token);
  });

  it("that is away is tried again until it is back", async () => {
    const rag = fake();
    await rag.window().client();
    const { token = "", url = "" } = rag.info;
    const sockets = new Set<Socket>();
    const gate = createGate((near) => {
      const far = connect(Number(new URL(url).port), "127.0.0.1");
      for (const socket of [near, far]) sockets.add(socket.on("error", () => socket.destroy()));
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
    const { port } = gate.address() as AddressInfo;
    await new Promise((resolve) => gate.close(resolve));
    const window = rag.window(() => ({ kind: "url", url: `http://127.0.0.1:${port}`, token, transport: "rest" }));
    window.start();
    expect((await comesTo(window, "attention")).problem.code).toBe("SERVER_UNREACHABLE");
    await new Promise<void>((resolve) => gate.listen(port, "127.0.0.1", resolve));
    await comesTo(window, "ready");
    for (const socket of sockets) socket.destroy();
    gate.close();
  });

  it("that something else answers at is no daemon", async () => {
    const other = createServer((_request, response) => response.end("<html>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const window = fake().window(() => ({ kind: "url", url, token: "", transport: "rest" }));
    window.start();
    expect((await comesTo(window, "attention")).problem.code).toBe("SERVER_UNREACHABLE");
    other.close();
  });
});

describe("the transport MCP", { timeout: 60_000 }, () => {
  const byMcp = (rag: FakeRag): ServerSpec => ({ ...rag.server, transport: "mcp", env: { RAG_MCP__ENABLED: "true" } });
  const commandsOf = (status: DaemonStatus & { kind: "attention" }) => status.problem.actions.map(({ command }) => command);

  it("has a daemon that was started with it", async () => {
    const rag = fake();
    const window = rag.window(() => byMcp(rag));
    await window.client();
    expect(rag.starts).toHaveLength(1);
  });

  it("is not replaced by REST where the daemon that runs has it off; a restart brings it", async () => {
    const rag = fake();
    await rag.window().client();
    const window = rag.window(() => byMcp(rag));
    window.start();
    const attention = await comesTo(window, "attention");
    expect(attention.problem).toMatchObject({ code: "MCP_OFF" });
    expect(commandsOf(attention)).toEqual(["ragAssistant.restartDaemon", "ragAssistant.useRest"]);
    await window.restart();
    await window.client();
    expect(rag.starts).toHaveLength(2);
  });

  it("says in the daemon's words that a policy forbids it, and offers no restart, which would not help", async () => {
    const reason = "MCP is forbidden by the policy of this machine (/etc/rag-assistant/policy.yaml).";
    const rag = fake({ forbidden: reason });
    const window = rag.window(() => byMcp(rag));
    window.start();
    const attention = await comesTo(window, "attention");
    expect(attention.problem).toMatchObject({ code: "MCP_FORBIDDEN" });
    expect(attention.problem.message).toContain(reason);
    expect(commandsOf(attention)).toEqual(["ragAssistant.useRest", "ragAssistant.showLog"]);
  });

  it("can't be switched on from here at a server elsewhere", async () => {
    const rag = fake();
    await rag.window().client();
    const { url = "", token = "" } = rag.info;
    const window = rag.window(() => ({ kind: "url", url, token, transport: "mcp" }));
    window.start();
    expect(commandsOf(await comesTo(window, "attention"))).toEqual(["ragAssistant.useRest"]);
  });

  it("is taken up, and left, when the setting changes, with another daemon each time", async () => {
    const rag = fake();
    let spec: ServerSpec = rag.server;
    const window = rag.window(() => spec);
    const first = await window.client();
    spec = byMcp(rag);
    await window.refresh();
    const second = await window.client();
    expect(second).not.toBe(first);
    spec = rag.server;
    await window.refresh();
    await window.client();
    expect(rag.starts).toHaveLength(3);
  });
});
