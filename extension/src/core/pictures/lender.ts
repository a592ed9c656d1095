/** Lends a model to the daemon: takes what is to be asked, asks the model, and brings the answers, one after the other. */

import type { LentRequest, LentRequests } from "../api/types";
import { throwIfCancelled } from "../common/cancellation";
import { asRagError, isCancelled } from "../common/errors";
import type { VisionMessage, VisionModel } from "./visionModel";

/** The part of the daemon's client that lending needs. */
export interface LendingDaemon {
  takeLentRequest(lender: string, signal: AbortSignal): Promise<LentRequests>;
  renewLentRequest(leaseId: string): Promise<unknown>;
  answerLentRequest(leaseId: string, text: string, model: string): Promise<unknown>;
  failLentRequest(leaseId: string, message: string, refused: boolean): Promise<unknown>;
  stopLending(lender: string): Promise<unknown>;
}

/** `described`, of what a model could not do `failed`; `soon`: more may be there in a moment. */
export type Round = "described" | "failed" | "soon" | "nothing";

/** Signs of life within the time of a lease. */
const RENEWALS = 4;
/** As the daemon takes them. */
const LONGEST_ANSWER = 400_000;
const LONGEST_MESSAGE = 2_000;

export class Lender {
  constructor(
    /** Tells this window from others. */
    private readonly id: string,
    private readonly daemon: LendingDaemon,
    private readonly model: VisionModel,
  ) {}

  /**
   * Takes one request, if there is any, and answers it. Throws `RagError` MODEL_QUOTA and MODEL_MISSING, after which the request is
   * another window's, and what the daemon throws.
   */
  async round(signal: AbortSignal): Promise<Round> {
    const { request, more } = await this.daemon.takeLentRequest(this.id, signal);
    if (request === null) return more ? "soon" : "nothing";
    try {
      return await this.serve(request, signal);
    } catch (error) {
      // Whatever ended it: the picture has cost nothing, and waits for another window.
      await this.daemon.stopLending(this.id).catch(() => undefined);
      throw error;
    }
  }

  private async serve(request: LentRequest, signal: AbortSignal): Promise<Round> {
    const lost = new AbortController();
    const asking = AbortSignal.any([signal, lost.signal, AbortSignal.timeout(1000 * request.timeout_s)]);
    // A lease that is gone is nobody's to answer: the model need not go on.
    const renew = () => this.daemon.renewLentRequest(request.lease_id).catch(() => lost.abort());
    const renewing = setInterval(() => void renew(), (1000 * request.lease_s) / RENEWALS);
    try {
      const answer = await this.model.ask(request.messages.map(messageOf), asking);
      await this.daemon.answerLentRequest(request.lease_id, answer.slice(0, LONGEST_ANSWER), this.model.name);
      return "described";
    } catch (error) {
      throwIfCancelled(signal);
      const { code, message } = asRagError(error, "MODEL_FAILED");
      if (code === "MODEL_QUOTA" || code === "MODEL_MISSING") throw error;
      // Answered too late, or asked by nobody any more: the daemon knows what it makes of that.
      if (code === "NOT_FOUND" || (isCancelled(error) && asking.aborted)) return "failed";
      if (!code.startsWith("MODEL_")) throw error;
      const said = (message === "" ? code : message).slice(0, LONGEST_MESSAGE);
      await this.daemon.failLentRequest(request.lease_id, said, code === "MODEL_REFUSED");
      return "failed";
    } finally {
      clearInterval(renewing);
    }
  }
}

function messageOf({ role, text, picture }: LentRequest["messages"][number]): VisionMessage {
  if (picture === null) return { role, text };
  return { role, text, picture: { mime: picture.mime, bytes: Buffer.from(picture.data, "base64") } };
}
