/** What the extension asks of the daemon about pictures. It has no tool for agents, and goes by REST on both transports. */

import type { AssetDetails, LentRequests, Page } from "../api/types";
import type { RestTransport } from "./restTransport";

export class PictureClient {
  constructor(private readonly rest: RestTransport) {}

  /** How many pictures there are in all documents, each counted once. */
  async count(signal?: AbortSignal): Promise<number> {
    const query = { page_size: 1, fold: true };
    return (await this.rest.json<Page<unknown>>("GET", "/api/assets", { query, tokenScope: "all", signal })).total;
  }

  /** All that is known of a picture. */
  details(id: string, signal?: AbortSignal): Promise<AssetDetails> {
    return this.rest.json("GET", `/api/assets/${encodeURIComponent(id)}/details`, { tokenScope: "all", signal });
  }

  /** Its table, or the values of its chart, as CSV; empty where there is neither. */
  async csv(id: string, signal?: AbortSignal): Promise<string> {
    const bytes = await this.rest.bytes(`/api/assets/${encodeURIComponent(id)}/table`, { tokenScope: "all", signal });
    return new TextDecoder().decode(bytes);
  }

  /** Has a picture described once more; `job_id` is null where nothing describes any. */
  describeAgain(id: string): Promise<{ job_id: string | null }> {
    return this.rest.json("POST", "/api/assets/caption", { json: { asset_ids: [id], anew: true } });
  }

  /** What the editor's model is to be asked of a picture, if anything is; for `lender` alone, who shows now and then that it lives. */
  takeLentRequest(lender: string, signal: AbortSignal): Promise<LentRequests> {
    return this.rest.json("POST", "/api/captions/requests", { json: { lender }, tokenScope: "all", signal });
  }

  renewLentRequest(leaseId: string): Promise<unknown> {
    return this.rest.json("PATCH", `/api/captions/requests/${encodeURIComponent(leaseId)}`, {});
  }

  answerLentRequest(leaseId: string, text: string, model: string): Promise<unknown> {
    const path = `/api/captions/requests/${encodeURIComponent(leaseId)}/answer`;
    return this.rest.json("POST", path, { json: { text, model } });
  }

  failLentRequest(leaseId: string, message: string, refused: boolean): Promise<unknown> {
    const path = `/api/captions/requests/${encodeURIComponent(leaseId)}/failure`;
    return this.rest.json("POST", path, { json: { message, refused } });
  }

  stopLending(lender: string): Promise<unknown> {
    return this.rest.json("DELETE", `/api/captions/lenders/${encodeURIComponent(lender)}`, {});
  }
}
