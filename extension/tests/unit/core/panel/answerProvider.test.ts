import { describe, expect, it, vi } from "vitest";

import type { AnswerEvent } from "../../../../src/core/answer/types";
import { reachable } from "../../../../src/core/client/reachable";
import { RagError } from "../../../../src/core/common/errors";
import { unanswering } from "../../../../src/core/daemon/problems";
import { PanelAnswerProvider, type Writers } from "../../../../src/core/panel/answerProvider";
import { panelDaemonState } from "../../../../src/core/panel/daemonState";
import { Deltas } from "../../../../src/core/panel/deltas";
import type { SetupProgress } from "../../../../src/protocol/setup";
import { question } from "../../fixtures/answers";
import { FakeDaemon, doneEvent } from "./fakePanel";

const lost = () => new RagError("DAEMON_UNREACHABLE", "The daemon does not answer.");
const signal = () => new AbortController().signal;

/** What an attempt to answer gives, one entry for each. */
function answers(daemon: FakeDaemon, ...attempts: (AnswerEvent | Error)[][]) {
  const writers = vi.fn<Writers["writerFor"]>(() => Promise.resolve(undefined));
  const answering = {
    // eslint-disable-next-line @typescript-eslint/require-await -- as the real one
    async *answer(): AsyncGenerator<AnswerEvent> {
      for (const next of attempts.shift() ?? []) {
        if (next instanceof Error) throw next;
        yield next;
      }
    },
  };
  const ask = async (options = {}) => {
    const events: AnswerEvent[] = [];
    for await (const event of new PanelAnswerProvider(daemon, answering, { writerFor: writers }, 2000).answer(
      question("q", { options }),
      signal(),
    )) {
      events.push(event);
    }
    return events;
  };
  return { ask, attempts, writers };
}

describe("a question of the panel", () => {
  it("is written by the model that was chosen", async () => {
    const { ask, writers } = answers(new FakeDaemon(), [doneEvent("a")]);
    await ask({ model: "editor:x" });
    expect(writers).toHaveBeenCalledWith("editor:x");
  });

  it("waits for a daemon that is being restarted, then begins anew, once", async () => {
    const daemon = new FakeDaemon();
    const { ask } = answers(daemon, [{ type: "delta", text: "Ha" }, lost()], [doneEvent("Half and whole")]);
    expect((await ask()).map(({ type }) => type)).toEqual(["delta", "restart", "done"]);
    await expect(answers(daemon, [lost()], [lost()]).ask()).rejects.toThrow("does not answer");
  });

  it("ends when the daemon hangs, also while it is asked who writes", async () => {
    const daemon = new FakeDaemon();
    const { ask, writers } = answers(daemon, [doneEvent("a")]);
    writers.mockReturnValue(new Promise(() => undefined));
    const asked = ask();
    daemon.statuses.fire({ kind: "attention", problem: unanswering(7) });
    await expect(asked).rejects.toMatchObject({ code: "DAEMON_SILENT" });
  });

  it("fails with what the daemon says when it does not come back", async () => {
    const daemon = new FakeDaemon();
    daemon.fails = new RagError("SETUP_NEEDED", "Nothing is installed.");
    await expect(answers(daemon, [lost()]).ask()).rejects.toThrow("Nothing is installed.");
  });

  it("does not try again what another try can't mend", async () => {
    const refused = new RagError("VALIDATION_ERROR", "no");
    const { ask, attempts } = answers(new FakeDaemon(), [refused], [doneEvent("a")]);
    await expect(ask()).rejects.toBe(refused);
    expect(attempts).toHaveLength(1);
  });

  it("in an empty index is told how to add documents", async () => {
    const daemon = new FakeDaemon();
    daemon.live = { counts: { documents: 0, collections: 1, chunks: 0 } } as never;
    daemon.documents = 0;
    const [event] = await answers(daemon, [doneEvent("never")]).ask();
    expect(event).toMatchObject({
      type: "done",
      answer: { found: false, text: expect.stringContaining("Drop files") as string },
    });
  });

  it("is asked when the first documents came just now", async () => {
    const daemon = new FakeDaemon();
    daemon.live = { counts: { documents: 0, collections: 1, chunks: 0 } } as never;
    expect(await answers(daemon, [doneEvent("found")]).ask()).toMatchObject([{ answer: { text: "found" } }]);
  });
});

describe("waiting for the daemon", () => {
  it("goes on until it answers", async () => {
    const daemon = new FakeDaemon();
    daemon.fails = lost();
    const waiting = reachable(daemon, signal(), 5000);
    await vi.waitFor(() => expect(daemon.fails).toBeDefined());
    daemon.fails = undefined;
    expect((await waiting).connection.url).toBe(daemon.url);
  });

  it("ends when its time is over, and at once when it is called off", async () => {
    const daemon = new FakeDaemon();
    daemon.fails = lost();
    await expect(reachable(daemon, signal(), 0)).rejects.toThrow("does not answer");
    const abort = new AbortController();
    const waiting = reachable(daemon, abort.signal, 60_000);
    abort.abort();
    await expect(waiting).rejects.toThrow(/abort/);
  });
});

describe("pieces of an answer", () => {
  it("go at once first, then together", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const sent: string[] = [];
    const deltas = new Deltas((text) => sent.push(text), 34);
    for (const text of ["a", "b", "c"]) deltas.push(text);
    expect(sent).toEqual(["a"]);
    vi.advanceTimersByTime(34);
    expect(sent).toEqual(["a", "bc"]);
    deltas.push("d");
    deltas.clear();
    vi.advanceTimersByTime(100);
    expect(sent).toEqual(["a", "bc"]);
    vi.useRealTimers();
  });
});

describe("what the view shows of the daemon", () => {
  const idle = { state: "idle" } as SetupProgress;
  const running = { state: "running" } as SetupProgress;

  it("is the set-up while that is needed or under way", () => {
    expect(panelDaemonState({ kind: "setupNeeded", reason: "new" }, idle, undefined)).toEqual({
      kind: "setup",
      setup: idle,
    });
    expect(panelDaemonState({ kind: "starting", detail: "" }, running, undefined)).toEqual({
      kind: "setup",
      setup: running,
    });
    expect(panelDaemonState({ kind: "starting", detail: "d" }, idle, undefined)).toEqual({
      kind: "starting",
      detail: "d",
    });
  });

  it("is ready once it is known how many documents there are", () => {
    const { status } = new FakeDaemon();
    expect(panelDaemonState(status, idle, undefined).kind).toBe("starting");
    expect(panelDaemonState(status, idle, 0)).toEqual({ kind: "ready", documents: 0 });
  });

  it("offers to start a daemon that was stopped", () => {
    expect(panelDaemonState({ kind: "stopped" }, idle, 3)).toMatchObject({
      kind: "attention",
      problem: { actions: [{ command: "ragAssistant.restartDaemon" }] },
    });
  });
});
