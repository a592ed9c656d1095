import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { DaemonState } from "../../../../src/core/api/types";
import type { DaemonClient } from "../../../../src/core/client/daemonClient";
import { Emitter } from "../../../../src/core/common/events";
import { RagError } from "../../../../src/core/common/errors";
import type { DaemonStatus } from "../../../../src/core/daemon/status";
import { Lending, type LendingState } from "../../../../src/core/pictures/lending";
import { FakeLendingDaemon, FakeVisionModel, request } from "./fakeLending";

class Setting {
  readonly daemon = new FakeLendingDaemon();
  readonly statuses = new Emitter<DaemonStatus>();
  readonly lives = new Emitter<DaemonState>();
  readonly states: LendingState[] = [];
  readonly lending: Lending;
  readonly service = {
    status: { kind: "ready", client: { pictures: this.daemon } as unknown as DaemonClient, version: "1" } as DaemonStatus,
    onDidChangeStatus: this.statuses.event,
    onDidChangeLive: this.lives.event,
  };

  constructor() {
    const log = { error: () => undefined };
    this.lending = new Lending({ lender: "w", daemon: this.service, log });
    this.lending.onDidChange((state) => this.states.push(state));
  }

  lend(model: FakeVisionModel | undefined): void {
    this.lending.start("Sees 1", () => Promise.resolve(model));
  }

  /** How often somebody came for a request. */
  get looks(): number {
    return this.daemon.calls.filter((call) => call.startsWith("take")).length;
  }
}

describe("lending", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("asks the daemon for nothing before anybody has agreed", async () => {
    const setting = new Setting();
    setting.lives.fire({} as DaemonState);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(setting.daemon.calls).toEqual([]);
    expect(setting.lending.state).toEqual({ kind: "off" });
  });

  it("describes one picture after the other and counts them", async () => {
    const setting = new Setting();
    setting.daemon.requests.push(request("1"), request("2"));
    setting.lend(new FakeVisionModel(["one", "two"]));
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toEqual({ kind: "lent", model: "Sees 1", described: 2 });
  });

  it("looks again when the daemon has something new, and else seldom", async () => {
    const setting = new Setting();
    setting.lend(new FakeVisionModel(["one"]));
    await vi.advanceTimersByTimeAsync(50_000);
    expect(setting.looks).toBe(1);
    setting.daemon.requests.push(request("1"));
    setting.lives.fire({} as DaemonState);
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toMatchObject({ described: 1 });
  });

  it("looks again soon where the model came back, or the daemon had something new, while it looked", async () => {
    const setting = new Setting();
    const models: (FakeVisionModel | undefined)[] = [undefined, new FakeVisionModel(["one"]), new FakeVisionModel([])];
    setting.lending.start("Sees 1", () => {
      const model = models.shift();
      if (model === undefined) setting.lending.retry();
      else setting.lives.fire({} as DaemonState);
      return Promise.resolve(model);
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(setting.looks).toBe(1);
    setting.daemon.requests.push(request("1"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(setting.lending.state).toMatchObject({ kind: "lent", described: 0 });
    expect(setting.looks).toBe(2);
  });

  it("leaves a model alone whose quota is used up, whatever the daemon has, until somebody wants another try", async () => {
    const setting = new Setting();
    setting.daemon.requests.push(request("1"));
    setting.lend(new FakeVisionModel([new RagError("MODEL_QUOTA", "No more today."), "one"]));
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toEqual({ kind: "paused", model: "Sees 1", reason: "No more today." });
    setting.lives.fire({} as DaemonState);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(setting.looks).toBe(1);
    setting.daemon.requests.push(request("1"));
    setting.lending.retry();
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toEqual({ kind: "lent", model: "Sees 1", described: 1 });
  });

  it("says that the model is gone, takes nothing meanwhile, and goes on when it is back", async () => {
    const setting = new Setting();
    const models: FakeVisionModel[] = [];
    setting.daemon.requests.push(request("1"));
    setting.lending.start("Sees 1", () => Promise.resolve(models[0]));
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toMatchObject({ kind: "paused", reason: "the editor has no such model now" });
    expect(setting.looks).toBe(0);
    models.push(new FakeVisionModel(["one"]));
    setting.lending.retry();
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toMatchObject({ kind: "lent", described: 1 });
  });

  it("waits for another daemon where this one takes no descriptions", async () => {
    const setting = new Setting();
    setting.daemon.failure = new RagError("VALIDATION_ERROR", "captions.provider is rules");
    setting.lend(new FakeVisionModel([]));
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toMatchObject({ kind: "paused", reason: "captions.provider is rules" });
    for (let change = 0; change < 50; change += 1) setting.lives.fire({} as DaemonState);
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.looks).toBe(1);
    setting.daemon.failure = undefined;
    setting.statuses.fire(setting.service.status);
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.lending.state).toMatchObject({ kind: "lent" });
  });

  it("is over at once when it is stopped: what the model had is given back, and nothing more is taken", async () => {
    const setting = new Setting();
    setting.daemon.requests.push(request("1"), request("2"));
    setting.lend(new FakeVisionModel([]));
    await vi.advanceTimersByTimeAsync(0);
    setting.lending.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(setting.looks).toBe(1);
    expect(setting.daemon.calls).toContain("stop w");
    expect(setting.states.at(-1)).toEqual({ kind: "off" });
  });
});
