/** A daemon in memory that has requests for a lent model, and a model that answers as it is told. */

import type { LentRequest, LentRequests } from "../../../../src/core/api/types";
import { RagError } from "../../../../src/core/common/errors";
import type { LendingDaemon } from "../../../../src/core/pictures/lender";
import type { VisionMessage, VisionModel } from "../../../../src/core/pictures/visionModel";

export function request(id: string, more: Partial<LentRequest> = {}): LentRequest {
  const picture = { mime: "image/png", data: Buffer.from("a picture").toString("base64") };
  return {
    lease_id: id,
    lease_s: 20,
    timeout_s: 120,
    asset_id: "0".repeat(32),
    messages: [
      { role: "system", text: "Rules", picture: null },
      { role: "user", text: "What is it?", picture },
    ],
    ...more,
  };
}

export class FakeLendingDaemon implements LendingDaemon {
  readonly calls: string[] = [];
  /** Thrown by what comes for a request. */
  failure: Error | undefined;
  /** Whether a lease is still there when a sign of life comes. */
  keeps = true;

  constructor(readonly requests: LentRequest[] = []) {}

  takeLentRequest(lender: string): Promise<LentRequests> {
    this.calls.push(`take ${lender}`);
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const next = this.requests.shift() ?? null;
    return Promise.resolve({ request: next, more: next !== null });
  }

  renewLentRequest(leaseId: string): Promise<unknown> {
    this.calls.push(`renew ${leaseId}`);
    return this.keeps ? Promise.resolve() : Promise.reject(new RagError("NOT_FOUND", "gone"));
  }

  answerLentRequest(leaseId: string, text: string, model: string): Promise<unknown> {
    this.calls.push(`answer ${leaseId} ${model}: ${text}`);
    return this.keeps ? Promise.resolve() : Promise.reject(new RagError("NOT_FOUND", "gone"));
  }

  failLentRequest(leaseId: string, message: string, refused: boolean): Promise<unknown> {
    this.calls.push(`fail ${leaseId} ${refused ? "refused" : "failed"}: ${message}`);
    return Promise.resolve();
  }

  stopLending(lender: string): Promise<unknown> {
    this.calls.push(`stop ${lender}`);
    return Promise.resolve();
  }
}

export class FakeVisionModel implements VisionModel {
  readonly name = "Sees 1";
  readonly asked: (readonly VisionMessage[])[] = [];

  /** Each is said, or thrown, once; then it is silent until it is called off. */
  constructor(private readonly answers: (string | Error)[]) {}

  ask(messages: readonly VisionMessage[], signal: AbortSignal): Promise<string> {
    this.asked.push(messages);
    const next = this.answers.shift();
    if (next instanceof Error) return Promise.reject(next);
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("called off", "AbortError")));
    });
  }
}
