import { describe, expect, it } from "vitest";

import type { AnswerEvent, AnswerService, ChosenWriter } from "../../../../src/core/answer/types";
import { WatchedAnswers } from "../../../../src/core/answer/watchedAnswers";
import { cancelled } from "../../../../src/core/common/cancellation";
import { Emitter } from "../../../../src/core/common/events";
import { unanswering } from "../../../../src/core/daemon/problems";
import type { DaemonStatus } from "../../../../src/core/daemon/status";
import { DaemonWatch, whileItAnswers } from "../../../../src/core/daemon/watch";
import { FakeWriter, question, retrieval } from "../../fixtures/answers";

const HUNG: DaemonStatus = { kind: "attention", problem: unanswering(7) };
const never = (): Promise<never> => new Promise(() => undefined);
const { signal } = new AbortController();

function daemon() {
  const statuses = new Emitter<DaemonStatus>();
  return { statuses, service: { onDidChangeStatus: statuses.event } };
}

async function read(answers: AnswerService, writer: ChosenWriter, seen: string[]): Promise<void> {
  for await (const { type } of answers.answer(question("How long?"), writer, signal)) seen.push(type);
}

/** An answer that gives these and then hangs. */
function hanging(...events: AnswerEvent[]): AnswerService {
  return {
    async *answer() {
      yield* events;
      await never();
    },
  };
}

describe("a request to a daemon that hangs", () => {
  it("ends when the daemon is found not to answer, with what to do", async () => {
    const { statuses, service } = daemon();
    const asked = whileItAnswers(service, signal, never);
    statuses.fire(HUNG);
    await expect(asked).rejects.toMatchObject({
      code: "DAEMON_SILENT",
      message: "The daemon (process 7) runs but does not answer.",
      advice: "Restart it. If that does not help, the log says more.",
    });
  });

  it("ends when nothing was found for too long", async () => {
    const { service } = daemon();
    await expect(read(new WatchedAnswers(hanging(), service, 5), undefined, [])).rejects.toMatchObject({
      code: "SEARCH_TIMEOUT",
      advice: "Try again. If it happens again, restart the daemon; the log says more.",
    });
  });

  it("is called off as any, and gives its result when there is one", async () => {
    const { service } = daemon();
    const stop = new AbortController();
    const asked = whileItAnswers(service, stop.signal, never);
    stop.abort(cancelled());
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    expect(await whileItAnswers(service, signal, () => Promise.resolve(3))).toBe(3);
  });

  it("has no limit once the passages are there, but ends with the daemon", async () => {
    const { statuses, service } = daemon();
    const seen: string[] = [];
    const found = { type: "retrieval" as const, retrieval: retrieval([]) };
    const answering = read(new WatchedAnswers(hanging(found), service), undefined, seen);
    await expect.poll(() => seen).toEqual(["retrieval"]);
    statuses.fire(HUNG);
    await expect(answering).rejects.toMatchObject({ code: "DAEMON_SILENT" });
  });

  it("goes on where a model of the editor has begun to write", async () => {
    const { statuses, service } = daemon();
    let finish: () => void = () => undefined;
    const answers: AnswerService = {
      async *answer() {
        yield { type: "delta", text: "Ninety" };
        await new Promise<void>((resolve) => (finish = resolve));
      },
    };
    const seen: string[] = [];
    const answering = read(new WatchedAnswers(answers, service), new FakeWriter([]), seen);
    await expect.poll(() => seen).toEqual(["delta"]);
    statuses.fire(HUNG);
    finish();
    await expect(answering).resolves.toBeUndefined();
  });

  it("listens to the daemon no longer than it lasts", () => {
    const { statuses, service } = daemon();
    const watch = new DaemonWatch(service, signal);
    watch.dispose();
    statuses.fire(HUNG);
    expect(watch.signal.aborted).toBe(false);
  });
});
