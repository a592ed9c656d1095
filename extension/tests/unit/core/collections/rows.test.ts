import { describe, expect, it } from "vitest";

import type { Collection, Document, Source } from "../../../../src/core/api/types";
import { collectionNameProblem } from "../../../../src/core/collections/collectionName";
import { collectionText, documentText, firstDocuments, type Fetch } from "../../../../src/core/collections/rows";
import { sourceCondition, sourceText } from "../../../../src/core/sources/rows";
import { jobTitle, progressText, resultText } from "../../../../src/protocol/jobs";

function document(source: string, more: Partial<Document> = {}): Document {
  return {
    ...{
      id: source,
      collection: "default",
      source,
      source_uri: `file:///w/${source}`,
      title: "",
      doc_type: "markdown",
      language: "en",
    },
    ...{
      status: "ready",
      size: 1,
      chunk_count: 3,
      version_id: "v",
      updated_at: "2026-03-05T10:00:00Z",
      summary: "",
      tags: [],
    },
    ...more,
  };
}

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

const collection: Collection = {
  ...{
    id: "k",
    name: "既定",
    description: "",
    status: "enabled",
    document_count: 1,
    chunk_count: 9,
    created_at: "",
    updated_at: "",
  },
};

/** A daemon with so many documents of each status; it counts what it is asked. */
function daemon(counts: Partial<Record<Document["status"], number>>): {
  fetch: Fetch;
  asked: [string, number, number][];
} {
  const asked: [string, number, number][] = [];
  const fetch: Fetch = (status, page, page_size) => {
    asked.push([status, page, page_size]);
    const total = counts[status] ?? 0;
    const first = (page - 1) * page_size;
    const length = Math.max(0, Math.min(page_size, total - first));
    const items = Array.from({ length }, (_, index) => document(`${status}${first + index}`, { status }));
    return Promise.resolve({ items, total, page, page_size });
  };
  return { fetch, asked };
}

describe("firstDocuments", () => {
  it("gives failed ones first, then those being read, then the rest", async () => {
    const { documents, total } = await firstDocuments(daemon({ ready: 2, failed: 1, processing: 1 }).fetch, 100);
    expect(documents.map(({ id }) => id)).toEqual(["failed0", "processing0", "ready0", "ready1"]);
    expect(total).toBe(4);
  });

  it("asks a large collection for one page, and counts the rest", async () => {
    const { fetch, asked } = daemon({ ready: 100_000, failed: 120 });
    const { documents, total } = await firstDocuments(fetch, 100);
    expect([documents.length, total]).toEqual([100, 100_120]);
    expect(asked).toEqual([
      ["failed", 1, 100],
      ["processing", 1, 1],
      ["ready", 1, 1],
    ]);
  });

  it("goes on where more is wanted, and ends where there is no more", async () => {
    const { fetch } = daemon({ ready: 230, failed: 5 });
    expect((await firstDocuments(fetch, 200)).documents).toHaveLength(205);
    expect((await firstDocuments(fetch, 300)).documents).toHaveLength(235);
  });
});

describe("rows", () => {
  it("say why a document failed, before where it lies", () => {
    const failed = document("guides/secret.pdf", {
      status: "failed",
      error: { code: "ENCRYPTED", message: "It has a password." },
    });
    expect(documentText(failed, "en")).toMatchObject({
      label: "secret.pdf",
      description: "It has a password. · guides",
    });
    expect(documentText(failed, "en").tooltip).toContain("It has a password.");
  });

  it("show passages, date and folder of a document that is ready", () => {
    const text = documentText(document("会議/定例.txt"), "en");
    expect(text).toMatchObject({ label: "定例.txt", description: "3 passages · Mar 5, 2026 · 会議" });
    expect(documentText(document("a.md"), "ja").description).toBe("3 passages · 2026/03/05");
  });

  it("say of a document that needs a token only that it does", () => {
    const text = documentText(document("", { restricted: true }), "en");
    expect(text).toMatchObject({ label: "A page or issue that needs your token", description: "" });
  });

  it("mark a collection that is disabled", () => {
    expect(collectionText(collection).description).toBe("1 document");
    expect(collectionText({ ...collection, status: "disabled", document_count: 4 }).description).toBe(
      "4 documents, disabled",
    );
  });

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

describe("collectionNameProblem", () => {
  it.each(["docs", " 社内文書 ", "a b-c_d.e"])("takes %j", (name) => {
    expect(collectionNameProblem(name, ["other"])).toBeUndefined();
  });

  it.each(["", "  ", "a/b", "a\\b", "a\u0000b", "a\nb", "taken", " taken ", "\ud800"])("refuses %j", (name) => {
    expect(collectionNameProblem(name, ["taken"])).toBeTypeOf("string");
  });

  it("takes 255 characters and no more", () => {
    expect(collectionNameProblem("😀".repeat(255), [])).toBeUndefined();
    expect(collectionNameProblem("x".repeat(256), [])).toContain("255");
  });
});

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
    expect(progressText({ stage: "searching files", done: 0, total: 0 })).toBe("Searching files");
  });
});
