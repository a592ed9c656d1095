import { describe, expect, it } from "vitest";

import type { Source } from "../../../../src/core/api/types";
import { RagError } from "../../../../src/core/common/errors";
import { SyncScheduler, isDue, untilDue } from "../../../../src/core/sources/syncScheduler";
import { TOKEN, cloudSource } from "../../fixtures/sources";

const NOW = Date.parse("2026-03-05T10:00:00Z");
const read = { last_started_at: "2026-03-05T09:00:00Z" };

describe("isDue", () => {
  it.each<[string, Partial<Source>, boolean]>([
    ["never read", {}, true],
    ["due a minute ago", { ...read, due_at: "2026-03-05T09:59:00Z" }, true],
    ["due in a minute", { ...read, due_at: "2026-03-05T10:01:00Z" }, false],
    ["read only when asked", { ...read, due_at: null }, false],
    ["paused", { enabled: false }, false],
    ["being read", { state: "syncing" }, false],
    ["read by the daemon itself", { waits_for_token: false }, false],
  ])("one that is %s", (_, more, due) => {
    expect(isDue(cloudSource(more), NOW)).toBe(due);
  });
});

it("waits for the next one, and for none that is past", () => {
  const at = (due_at: string | null) => cloudSource({ ...read, due_at });
  expect(untilDue([at("2026-03-05T10:05:00Z"), at("2026-03-05T10:02:00Z"), at("2026-03-05T09:00:00Z")], NOW)).toBe(120_000);
  expect(untilDue([at(null)], NOW)).toBeUndefined();
});

describe("the scheduler", () => {
  const lines: string[] = [];
  const log = { debug: String, info: String, warn: (line: string) => void lines.push(line), error: String };

  function daemon(sources: Source[], fails = false) {
    const asked: string[] = [];
    const syncSource = (id: string) => {
      asked.push(id);
      return fails ? Promise.reject(new RagError("SOURCE_REFUSED", `refused ${TOKEN}`)) : Promise.resolve({ job_id: "j" });
    };
    return { asked, sources: () => Promise.resolve(sources), syncSource };
  }

  const stored = new Map([
    ["s1", TOKEN],
    ["s2", TOKEN],
  ]);

  it("asks for what is due and has a token, once for each time", async () => {
    const due = daemon([
      cloudSource(),
      cloudSource({ id: "s2", ...read, due_at: "2026-03-05T10:10:00Z" }),
      cloudSource({ id: "s3" }),
    ]);
    const scheduler = new SyncScheduler(log, () => NOW);
    expect(await scheduler.syncDue(due, stored)).toBe(600_000);
    await scheduler.syncDue(due, stored);
    expect(due.asked).toEqual(["s1"]);
  });

  it("asks again when it is due the next time, or a new token was set", async () => {
    const source = cloudSource({ ...read, due_at: "2026-03-05T09:30:00Z" });
    const due = daemon([source]);
    const scheduler = new SyncScheduler(log, () => NOW);
    await scheduler.syncDue(due, stored);
    scheduler.tokenChanged("s1");
    await scheduler.syncDue(due, stored);
    source.due_at = "2026-03-05T09:45:00Z";
    await scheduler.syncDue(due, stored);
    expect(due.asked).toEqual(["s1", "s1", "s1"]);
  });

  it("goes on to the next when one is refused, and writes no message of others to the log", async () => {
    const due = daemon([cloudSource(), cloudSource({ id: "s2" })], true);
    await new SyncScheduler(log, () => NOW).syncDue(due, stored);
    expect(due.asked).toEqual(["s1", "s2"]);
    expect(lines.join()).toContain("SOURCE_REFUSED");
    expect(lines.join()).not.toContain(TOKEN);
  });
});
