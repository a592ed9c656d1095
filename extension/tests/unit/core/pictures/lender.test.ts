import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { RagError } from "../../../../src/core/common/errors";
import { Lender } from "../../../../src/core/pictures/lender";
import { FakeLendingDaemon, FakeVisionModel, request } from "./fakeLending";

const { signal } = new AbortController();

describe("a round of lending", () => {
  it("takes a request, shows the model the picture, and brings the answer", async () => {
    const daemon = new FakeLendingDaemon([request("1")]);
    const model = new FakeVisionModel(['{"summary": "A chart."}']);
    expect(await new Lender("w", daemon, model).round(signal)).toBe("described");
    expect(daemon.calls).toEqual(["take w", 'answer 1 Sees 1: {"summary": "A chart."}']);
    expect(model.asked).toEqual([
      [
        { role: "system", text: "Rules" },
        { role: "user", text: "What is it?", picture: { mime: "image/png", bytes: Buffer.from("a picture") } },
      ],
    ]);
  });

  it("asks nobody when there is nothing to ask", async () => {
    const model = new FakeVisionModel([]);
    expect(await new Lender("w", new FakeLendingDaemon(), model).round(signal)).toBe("nothing");
    expect(model.asked).toEqual([]);
  });

  it.each([
    ["MODEL_REFUSED", "refused"],
    ["MODEL_FAILED", "failed"],
  ])("says that the model could not: %s", async (code, how) => {
    const daemon = new FakeLendingDaemon([request("1")]);
    const model = new FakeVisionModel([new RagError(code, "Not this one.")]);
    expect(await new Lender("w", daemon, model).round(signal)).toBe("failed");
    expect(daemon.calls).toEqual(["take w", `fail 1 ${how}: Not this one.`]);
  });

  it.each(["MODEL_QUOTA", "MODEL_MISSING"])("gives the picture back, as if it was never asked for, on %s", async (code) => {
    const daemon = new FakeLendingDaemon([request("1")]);
    const model = new FakeVisionModel([new RagError(code, "No more today.")]);
    await expect(new Lender("w", daemon, model).round(signal)).rejects.toMatchObject({ code });
    expect(daemon.calls).toEqual(["take w", "stop w"]);
  });

  it("gives the picture back when the lending ends in the middle of it", async () => {
    const daemon = new FakeLendingDaemon([request("1")]);
    const stop = new AbortController();
    const round = new Lender("w", daemon, new FakeVisionModel([])).round(stop.signal);
    await vi.waitFor(() => expect(daemon.calls).toEqual(["take w"]));
    stop.abort();
    await expect(round).rejects.toMatchObject({ name: "AbortError" });
    expect(daemon.calls).toEqual(["take w", "stop w"]);
  });

  it("leaves what was given to another window to that one", async () => {
    const daemon = new FakeLendingDaemon([request("1")]);
    daemon.keeps = false;
    expect(await new Lender("w", daemon, new FakeVisionModel(["late"])).round(signal)).toBe("failed");
    expect(daemon.calls).toEqual(["take w", "answer 1 Sees 1: late"]);
  });

  describe("while the model thinks", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("shows that the window lives, and ends when the lease is lost", async () => {
      const daemon = new FakeLendingDaemon([request("1", { lease_s: 20 })]);
      const round = new Lender("w", daemon, new FakeVisionModel([])).round(signal);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(daemon.calls).toEqual(["take w", "renew 1", "renew 1"]);
      daemon.keeps = false;
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await round).toBe("failed");
      await vi.advanceTimersByTimeAsync(60_000);
      expect(daemon.calls).toEqual(["take w", "renew 1", "renew 1", "renew 1"]);
    });
  });
});
