import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, expect, it } from "vitest";

import type { Job } from "../../../../src/core/api/types";
import { CrashLimit, delayAfter } from "../../../../src/core/daemon/backoff";
import { hasCrashed, isAlive, parseDaemonInfo, readDaemonInfo } from "../../../../src/core/daemon/daemonInfo";
import { indexingOf } from "../../../../src/core/daemon/indexingProgress";
import { startProblem } from "../../../../src/core/daemon/problems";

const WHOLE = { pid: process.pid, version: "0.1.0", url: "http://127.0.0.1:4711", token: "t" };
// Above the largest number that Linux gives a process.
const NO_PROCESS = 2 ** 22 + 1;

describe("daemon.json", () => {
  it("is read whole, and without an address while the daemon opens", () => {
    expect(parseDaemonInfo(JSON.stringify(WHOLE))?.connection).toEqual({ url: WHOLE.url, token: "t" });
    expect(parseDaemonInfo('{"pid": 7, "version": "0.1.0"}')).toEqual({ pid: 7, version: "0.1.0" });
  });

  it.each([
    ["cut short", JSON.stringify(WHOLE).slice(0, 30)],
    ["empty", ""],
    ["no object", "[]"],
    ["without a process", JSON.stringify({ ...WHOLE, pid: 0 })],
    ["with an address but no token", JSON.stringify({ ...WHOLE, token: undefined })],
    ["with the address of another machine", JSON.stringify({ ...WHOLE, url: "http://example.com:4711" })],
    ["with an address that only looks local", JSON.stringify({ ...WHOLE, url: "http://127.0.0.1:80@example.com:1" })],
  ])("is no daemon when it is %s", (_name, text) => {
    expect(parseDaemonInfo(text)).toBeUndefined();
  });

  it("is no daemon when its process is dead, which then has crashed", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "rag-info-"));
    expect(await readDaemonInfo(folder)).toBeUndefined();
    writeFileSync(path.join(folder, "daemon.json"), JSON.stringify({ ...WHOLE, pid: NO_PROCESS }));
    expect(await readDaemonInfo(folder)).toBeUndefined();
    expect(await hasCrashed(NO_PROCESS, folder)).toBe(true);
    expect(await hasCrashed(NO_PROCESS + 1, folder)).toBe(false);
    writeFileSync(path.join(folder, "daemon.json"), JSON.stringify(WHOLE));
    expect((await readDaemonInfo(folder))?.pid).toBe(process.pid);
    expect(isAlive(process.pid)).toBe(true);
  });
});

describe("the pause after a crash", () => {
  it("doubles from half a second to half a minute", () => {
    expect([1, 2, 3, 7, 20].map(delayAfter)).toEqual([500, 1000, 2000, 30_000, 30_000]);
  });

  it("comes to an end with the fifth crash within three minutes", () => {
    const limit = new CrashLimit(() => 0);
    expect([1, 2, 3, 4, 5].map(() => limit.crashed())).toEqual([500, 1000, 2000, 4000, undefined]);
  });

  it("begins anew when the crashes lie apart", () => {
    let now = 0;
    const limit = new CrashLimit(() => now);
    for (let count = 0; count < 20; count += 1) {
      expect(limit.crashed()).toBe(500);
      now += 180_000;
    }
  });
});

describe("the status bar", () => {
  const job = (status: Job["status"], done: number, total: number, later = false): Job =>
    ({ status, progress: { stage: "reading", done, total }, not_before: later ? "2030-01-01T00:00:00Z" : null }) as Job;

  it("shows the progress of all unfinished jobs together", () => {
    expect(indexingOf([job("running", 30, 60), job("running", 4, 40)])).toEqual({ percent: 34 });
  });

  it("shows no percentage before a job knows how much there is", () => {
    expect(indexingOf([job("queued", 0, 0)])).toEqual({ percent: undefined });
  });

  it("shows nothing for no job, and for one that waits for a later try", () => {
    expect(indexingOf([])).toBeUndefined();
    expect(indexingOf([job("queued", 0, 5, true)])).toBeUndefined();
  });
});

describe("a daemon that can't start", () => {
  it.each([
    [2, "Unknown setting 'a.b'.", "SETTINGS_INVALID", "ragAssistant.restartDaemon"],
    [2, "Error: No such option '--stop-when-unused'.", "SERVER_TOO_OLD", "ragAssistant.openSettings"],
    [3, "The model is not there.", "MODEL_MISSING", "ragAssistant.setup"],
    [5, "Port 1 can't be used.", "PORT_TAKEN", "ragAssistant.restartDaemon"],
    [1, "ImportError", "DAEMON_CRASHED", "ragAssistant.restartDaemon"],
  ])("says for exit code %i (%s) that it is %s", (code, said, expected, command) => {
    const { code: found, actions, message } = startProblem(code, null, said);
    expect(found).toBe(expected);
    expect(actions[0]?.command).toBe(command);
    if (expected !== "SERVER_TOO_OLD") expect(message).toContain(said);
  });
});
