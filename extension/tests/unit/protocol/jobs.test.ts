import { describe, expect, it } from "vitest";

import { jobTitle, progressText, resultText } from "../../../src/protocol/jobs";

describe("jobs in words", () => {
  it("count only what is not zero", () => {
    const none = { added: 0, updated: 0, unchanged: 0, moved: 0, deleted: 0, skipped: 0, failed: 0 };
    expect(resultText({ ...none, added: 3, failed: 2 })).toBe("3 added, 2 failed");
    expect(resultText(none)).toBe("Nothing to do");
  });

  it("say what a job does, also one of a kind that is not known", () => {
    expect(jobTitle({ kind: "upload", collection: "docs" })).toBe("Adding documents to docs");
    expect(jobTitle({ kind: "rebuild", collection: "" })).toBe("Rebuilding the index");
    expect(jobTitle({ kind: "polish", collection: "docs" })).toBe("polish (docs)");
    expect(progressText({ stage: "reading pages", done: 3, total: 9 })).toBe("Reading pages, 3 of 9");
    for (const stage of ["indexing", "reading", "embedding"])
      expect(progressText({ stage, done: 3, total: 9 })).toBe("Indexing, 3 of 9");
    expect(progressText({ stage: "searching files", done: 0, total: 0 })).toBe("Searching files");
  });
});
