import { describe, expect, it } from "vitest";

import type { Job, Source } from "../../../../src/core/api/types";
import { cloudState, cycleText, skippedText, type CloudState } from "../../../../src/core/sources/cloudStatus";
import { sourceText } from "../../../../src/core/sources/rows";
import { cloudSource, cycle } from "../../fixtures/sources";

const result = {
  ...{ added: 1, updated: 0, unchanged: 0, moved: 0, deleted: 0, skipped: 10, ignored: 0, failed_count: 0, failed: [] },
  ...{
    chunks: 0,
    embedded: 0,
    reused: 0,
    everything: true,
    job_id: "j",
    remote: 310,
    indexed: 300,
    held: 0,
    complete: true,
  },
};
const job = { progress: { stage: "indexing", done: 3, total: 40 } } as Job;

describe("a cloud source's row", () => {
  it.each<[CloudState, Partial<Source>, boolean, string]>([
    ["paused", { enabled: false, last_error: "x" }, false, "Paused"],
    ["syncing", { state: "syncing" }, true, "Indexing, 3 of 40"],
    ["waiting", {}, false, "Waits for its token"],
    ["failed", { state: "error", last_error: "The token was refused." }, true, "The token was refused."],
    ["held", { last_result: { ...result, held: 25 } }, true, "25 deletions held back"],
    ["noToken", { waits_for_token: false }, false, "Set your token to search this source"],
    ["fine", { waits_for_token: false, public: true }, false, "Up to date"],
  ])("tells that it is %s", (condition, more, hasToken, state) => {
    const source = cloudSource(more);
    expect(cloudState(source, hasToken)).toBe(condition);
    expect(sourceText(source, "en", { hasToken, job }).description).toBe(`${state} · 12 documents · default`);
  });

  it("tells when it is read next, what the last reading found, and that all is accounted for", () => {
    const source = cloudSource({
      due_at: "2026-03-06T10:00:00Z",
      last_result: result,
      last_finished_at: "2026-03-05T10:00:00Z",
    });
    const { description, tooltip } = sourceText(source, "en", { hasToken: true });
    expect(description).toMatch(/^Next reading Mar 6, 2026/);
    expect(tooltip.join("\n")).toMatch(/310 there = 300 indexed \+ 10 left out\nComplete/);
    expect(tooltip).toContain("https://wiki.example.com");
    expect(sourceText(cloudSource(), "en", { hasToken: false }).tooltip).toContain("Set your token to search this source");
  });
});

it("names an item that was left out by its title only where there is one", () => {
  const item = { id: "page/7", title: null, reason: "forbidden", message: "Ask for access." };
  expect(skippedText(item)).toMatchObject({ label: "page/7", description: "not open to the token for reading" });
  expect(skippedText({ ...item, title: "給与規程" }).label).toBe("給与規程");
  expect(skippedText({ ...item, reason: "brand_new" }).description).toBe("brand_new");
});

it("counts a reading", () => {
  expect(cycleText(cycle({ held: 4 }), "en").description).toBe("310 there = 300 indexed + 10 left out, 4 held back");
  expect(cycleText(cycle({ complete: false }), "en").tooltip).toContain("Not complete: the next reading goes on.");
});
