import type { CloudPreview, LedgerCycle, Source } from "../../../src/core/api/types";

export const TOKEN = "s3cret-t0ken-of-mine";

/** A Confluence source as the daemon tells it. */
export function cloudSource(more: Partial<Source> = {}): Source {
  return {
    ...{ id: "s1", type: "confluence", name: "Wiki", collection: "default", schedule: null, enabled: true },
    config: {
      ...{ base_url: "https://wiki.example.com", deployment: "data_center", spaces: ["DEV"], cql: "label = howto" },
      ...{ auth: { kind: "pat", token: "request" }, attachments: true, comments: true },
    },
    ...{ live: "live", public: false, due_at: null, waits_for_token: true },
    ...{ state: "idle", followed: false, polling: false, notice: null, document_count: 12, job_id: null },
    ...{ last_started_at: null, last_finished_at: null, last_result: null, last_error: null, created_at: "", updated_at: "" },
    ...more,
  };
}

export function preview(more: Partial<CloudPreview> = {}): CloudPreview {
  const containers = [
    { key: "DEV", name: "Development", items: 120 },
    { key: "人事", name: "人事部", items: null },
  ];
  return { account: "Aki Mori", deployment: "data_center", containers, names: ["DEV/Home"], warnings: [], ...more };
}

export function cycle(more: Partial<LedgerCycle> = {}): LedgerCycle {
  return {
    ...{ id: "c1", kind: "full", phase: "done", started_at: "2026-03-05T10:00:00Z", finished_at: "2026-03-05T10:01:00Z" },
    ...{ remote: 310, indexed: 300, added: 3, updated: 2, unchanged: 295, deleted: 1, skipped_count: 10, skipped: [] },
    ...{ held: 0, embedded: 9, requests: 40, throttled_s: 0, active_s: 12, complete: true, notice: null },
    ...more,
  };
}
