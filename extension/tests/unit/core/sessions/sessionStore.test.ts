import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ask, newSession, withMessage } from "../../../../src/core/sessions/sessionChanges";
import { encodeSession } from "../../../../src/core/sessions/sessionFile";
import { SessionStore } from "../../../../src/core/sessions/sessionStore";
import type { Session } from "../../../../src/protocol/session";

let folder: string;
let lines: string[];

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "sessions-")), "sessions");
  lines = [];
});

afterEach(async () => {
  vi.useRealTimers();
  await rm(join(folder, ".."), { recursive: true });
});

function store(limit?: number, interval = 0): SessionStore {
  const keep = (line: string) => void lines.push(line);
  return new SessionStore(folder, { debug: keep, info: keep, warn: keep, error: keep }, limit, interval);
}

/** A session with one question and its answer, `minute` minutes after a fixed hour. */
function session(question: string, answer: string, minute = 0): Session {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const ids = { questionId: randomUUID(), answerId: randomUUID() };
  const asked = ask(newSession(randomUUID(), at), { ...ids, text: question, options: {}, at });
  return withMessage(asked.session, { ...asked.answer, text: answer, state: "done" });
}

async function stored(...sessions: Session[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(sessions.map((one) => writeFile(join(folder, `${one.id}.json`), encodeSession(one))));
}

describe("keeping sessions", () => {
  it("reads back what was saved", async () => {
    const mine = session("What is a lease?", "A contract [1].");
    const first = store();
    first.save(mine);
    await first.flush();
    expect(await store().load(mine.id)).toEqual(mine);
    expect(await store().rows()).toEqual([
      { id: mine.id, title: "What is a lease?", updatedAt: mine.updatedAt, messageCount: 2 },
    ]);
  });

  it("lists the newest first, those included that are not written yet", async () => {
    const [old, recent, unwritten] = [session("old", "", 1), session("recent", "", 2), session("unwritten", "", 3)];
    await stored(old, recent);
    const one = store(500, 60_000);
    one.save(unwritten);
    expect((await one.rows()).map(({ title }) => title)).toEqual(["unwritten", "recent", "old"]);
    await one.flush();
  });

  it("writes a first change at once and those that follow at most once in each interval", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const mine = session("Question", "");
    const one = store(500, 1000);
    const path = join(folder, `${mine.id}.json`);
    const title = async () => (JSON.parse(await readFile(path, "utf8")) as Session).title;
    one.save({ ...mine, title: "first" });
    await vi.advanceTimersByTimeAsync(0);
    await vi.waitFor(async () => expect(await title()).toBe("first"));
    one.save({ ...mine, title: "second" });
    one.save({ ...mine, title: "third" });
    await vi.advanceTimersByTimeAsync(900);
    expect(await title()).toBe("first");
    await vi.advanceTimersByTimeAsync(100);
    await vi.waitFor(async () => expect(await title()).toBe("third"));
  });

  it("shows an answer that a crash cut off as stopped, with what had come of it", async () => {
    const mine = session("Question", "Half an ans");
    const cut = { ...mine, messages: mine.messages.map((one) => ({ ...one, state: "answering" as const })) } as Session;
    await stored(cut);
    const found = await store().load(mine.id);
    expect(found?.messages[1]).toMatchObject({ state: "stopped", text: "Half an ans" });
  });

  it("finds the old text when a crash came in the middle of a write", async () => {
    const mine = session("Question", "Answer");
    await stored(mine);
    await writeFile(join(folder, `${mine.id}.json.${randomUUID()}.tmp`), encodeSession(mine).slice(0, 40));
    expect(await store().load(mine.id)).toEqual(mine);
    expect(await store().rows()).toHaveLength(1);
  });

  it("removes half-written files that were left long ago, not those of another window that writes now", async () => {
    await stored(session("Question", "Answer"));
    const [left, fresh] = [join(folder, "left.tmp"), join(folder, "fresh.tmp")];
    await writeFile(left, "");
    await writeFile(fresh, "");
    await utimes(left, new Date(0), new Date(0));
    await store().rows();
    const names = await readdir(folder);
    expect(names).toContain("fresh.tmp");
    expect(names).not.toContain("left.tmp");
  });

  it("deletes a session for good, also while it is being written", async () => {
    const mine = session("Question", "Answer");
    const one = store();
    one.save(mine);
    const flushed = one.flush();
    await one.delete(mine.id);
    await flushed;
    expect(await one.rows()).toEqual([]);
    expect(await one.load(mine.id)).toBeUndefined();
  });

  it("keeps no more sessions than the limit: the oldest go", async () => {
    await stored(...[1, 2, 3].map((minute) => session(`Question ${minute}`, "", minute)));
    const one = store(3);
    one.save(session("Question 4", "", 4));
    await one.flush();
    expect((await one.rows()).map(({ title }) => title)).toEqual(["Question 4", "Question 3", "Question 2"]);
    expect((await readdir(folder)).filter((name) => name.endsWith(".json"))).toHaveLength(4);
  });

  it("says when a session can't be written, and writes it with its next change", async () => {
    const mine = session("Question", "Answer");
    await writeFile(folder, "a file where the folder should be");
    const one = store();
    const failures: Error[] = [];
    one.onDidFail((error) => failures.push(error));
    one.save(mine);
    await one.flush();
    expect(failures).toHaveLength(1);
    expect(lines.join()).toContain("Could not write the chat");
    await rm(folder);
    one.save(mine);
    await one.flush();
    expect(await store().load(mine.id)).toEqual(mine);
  });

  it("takes no path for the id of a session", async () => {
    await stored(session("Question", "Answer"));
    expect(await store().load("../sessions/index")).toBeUndefined();
    await store().delete("../../something");
    expect(await store().rows()).toHaveLength(1);
  });
});

describe("damage", () => {
  it("sets a damaged session aside with a line in the log and lists the others", async () => {
    const [good, bad] = [session("good", ""), session("bad", "")];
    await stored(good, bad);
    await writeFile(join(folder, `${bad.id}.json`), encodeSession(bad).slice(0, 100));
    expect((await store().rows()).map(({ title }) => title)).toEqual(["good"]);
    expect(await readdir(folder)).toContain(`${bad.id}.json.broken`);
    expect(lines.join()).toContain(bad.id);
  });

  it.each([
    ["no session at all", "null"],
    ["another id", encodeSession(session("other", ""))],
    ["a message without text", `{"format":1,"title":"","createdAt":"","updatedAt":"","messages":[{"id":"x"}]}`],
  ])("knows %s as damage", async (_what, text) => {
    const id = randomUUID();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${id}.json`), text);
    expect(await store().load(id)).toBeUndefined();
    expect(await readdir(folder)).toEqual([`${id}.json.broken`]);
  });

  it("leaves a session of a later version of the extension alone", async () => {
    const mine = session("Question", "");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${mine.id}.json`), encodeSession(mine).replace('"format":1', '"format":2'));
    expect(await store().rows()).toEqual([]);
    expect(await readdir(folder)).toContain(`${mine.id}.json`);
    expect(lines.join()).toContain("later version");
  });

  it.each([["{"], ["null"], ['{"x": 1}']])("makes a damaged list anew from the files (%s)", async (text) => {
    const mine = session("Question", "Answer");
    await stored(mine);
    await writeFile(join(folder, "index.json"), text);
    expect((await store().rows()).map(({ id }) => id)).toEqual([mine.id]);
  });
});

describe("two windows", () => {
  it("see each other's sessions and deletions", async () => {
    const [here, there] = [store(), store()];
    const mine = session("Question", "Answer");
    here.save(mine);
    await here.flush();
    expect(await there.rows()).toHaveLength(1);
    await there.delete(mine.id);
    expect(await here.rows()).toEqual([]);
  });

  it("learn that the other one went on with a session, so that old memory does not replace it", async () => {
    const [here, there] = [store(), store()];
    const mine = session("Question", "Answer");
    here.save(mine);
    await here.flush();
    expect(here.changedElsewhere(mine.id)).toBe(false);
    await there.load(mine.id);
    there.save({ ...mine, title: "of the other window" });
    await there.flush();
    expect(here.changedElsewhere(mine.id)).toBe(true);
    expect((await here.load(mine.id))?.title).toBe("of the other window");
    expect(here.changedElsewhere(mine.id)).toBe(false);
  });

  it("may write one session at once: the last one wins, and it is whole", async () => {
    const [here, there] = [store(), store()];
    const mine = session("Question", "x".repeat(300_000));
    for (let round = 0; round < 10; round += 1) {
      here.save({ ...mine, title: `here ${round}` });
      there.save({ ...mine, title: `there ${round}` });
      await Promise.all([here.flush(), there.flush()]);
      expect((await store().load(mine.id))?.title).toMatch(new RegExp(`(here|there) ${round}`));
    }
    expect(lines).toEqual([]);
  });
});

describe("search", () => {
  it("finds all words in titles and messages, whatever their case and width, the newest first", async () => {
    const older = session("Lease of the OFFICE", "It ends in 2027.", 1);
    const newer = session("About rent", "The Ｌｅａｓｅ of the office says 900.", 2);
    await stored(older, newer, session("Holidays", "Thirty days.", 3));
    expect((await store().search("office lease")).map(({ title }) => title)).toEqual(["About rent", "Lease of the OFFICE"]);
    expect(await store().search("lease holidays")).toEqual([]);
    expect(await store().search("  ")).toHaveLength(3);
  });

  it("finds Japanese, half-width kana included, and shows the text around it", async () => {
    await stored(
      session("契約について", `${"前置き。".repeat(40)}ﾃﾞｰﾀﾍﾞｰｽの障害対応手順は三つあります。${"後書き。".repeat(60)}`),
    );
    const [row] = await store().search("データベース");
    expect(row?.excerpt).toContain("ﾃﾞｰﾀﾍﾞｰｽの障害対応手順");
    expect(row?.excerpt).toMatch(/^….*…$/);
    expect((await store().search("障害対応"))[0]?.excerpt).toContain("障害対応");
  });

  it("sees changes that another window makes after the first search", async () => {
    const mine = session("Question", "Answer");
    await stored(mine);
    const here = store();
    expect(await here.search("addition")).toEqual([]);
    await stored({ ...mine, title: "With an addition" });
    expect(await here.search("addition")).toHaveLength(1);
  });

  it("searches 500 sessions quickly", { timeout: 60_000 }, async () => {
    const text = "The quick brown fox jumps over the lazy dog. これは日本語の文です。 ".repeat(30);
    const all = Array.from({ length: 500 }, (_, index) => {
      const one = session(`Question ${index}`, `${text} needle${index}`, index);
      return { ...one, messages: Array.from({ length: 10 }, () => one.messages).flat() };
    });
    await stored(...all);
    const here = store();
    const timed = async (query: string) => {
      const start = performance.now();
      const found = await here.search(query);
      return { found: found.length, ms: Math.round(performance.now() - start) };
    };
    const listed = performance.now();
    await here.rows();
    const listing = Math.round(performance.now() - listed);
    const [first, second] = [await timed("needle499"), await timed("日本語")];
    const bytes = Math.round(encodeSession(all[0] as Session).length / 1024);
    console.log(
      `500 sessions of ${bytes} KiB: listing without an index ${listing} ms, first search ${first.ms} ms, next ${second.ms} ms`,
    );
    expect([first.found, second.found]).toEqual([1, 500]);
  });
});
