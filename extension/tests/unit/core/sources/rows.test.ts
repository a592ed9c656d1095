import { describe, expect, it } from "vitest";

import type { Source } from "../../../../src/core/api/types";
import { sourceCondition, sourceText } from "../../../../src/core/sources/rows";

function source(more: Partial<Source> = {}): Source {
  return {
    ...{
      id: "s",
      type: "folder",
      name: "docs",
      collection: "default",
      config: { path: "/srv/docs/docs" },
      schedule: null,
      live: "off",
      public: true,
      due_at: null,
      waits_for_token: false,
      enabled: true,
    },
    ...{
      state: "watching",
      followed: true,
      polling: false,
      notice: null,
      document_count: 12,
      job_id: null,
      last_started_at: null,
    },
    ...{ last_finished_at: null, last_result: null, last_error: null, created_at: "", updated_at: "" },
    ...more,
  };
}

describe("the row of a folder's source", () => {
  it.each<[Partial<Source>, string, string]>([
    [{}, "followed", "Followed · 12 documents · default"],
    [{ enabled: false, state: "error" }, "paused", "Paused · 12 documents · default"],
    [{ state: "syncing" }, "syncing", "Being read · 12 documents · default"],
    [{ state: "error", last_error: "The folder is gone." }, "failed", "The folder is gone. · 12 documents · default"],
    [
      { state: "idle", followed: false, type: "feed", schedule: "every hour", config: {} },
      "idle",
      "every hour · 12 documents · default",
    ],
  ])("tell how a source %j stands", (more, condition, description) => {
    expect([sourceCondition(source(more)), sourceText(source(more), "en").description]).toEqual([condition, description]);
  });

  it("tell what the last reading of a source did", () => {
    const last_result = {
      ...{
        added: 2,
        updated: 0,
        unchanged: 10,
        moved: 0,
        deleted: 1,
        skipped: 0,
        ignored: 0,
        failed_count: 7,
        chunks: 0,
        embedded: 0,
      },
      ...{
        reused: 0,
        everything: true,
        job_id: "j",
        failed: [{ source: "a.pdf", code: "EMPTY", message: "Nothing in it." }],
      },
    };
    const { tooltip } = sourceText(source({ last_result, last_finished_at: "2026-03-05T10:00:00Z" }), "en");
    expect(tooltip).toContain("Last read Mar 5, 2026: 2 added, 10 unchanged, 1 deleted, 7 failed");
    expect(tooltip).toContain("a.pdf: Nothing in it.");
    expect(sourceText(source(), "en").tooltip).toContain("Not read yet");
  });
});
