import { describe, expect, it } from "vitest";

import type { Collection, Document } from "../../../../src/core/api/types";
import { collectionNameProblem } from "../../../../src/core/collections/collectionName";
import {
  collectionText,
  documentText,
  firstDocuments,
  folderText,
  foundText,
  type Fetch,
} from "../../../../src/core/collections/rows";

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
      has_unprocessed_images: false,
      version_id: "v",
      updated_at: "2026-03-05T10:00:00Z",
      summary: "",
      tags: [],
    },
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
    has_unprocessed_images: false,
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
  it("say why a document failed, and below it what the daemon knows of it", () => {
    const failed = document("guides/secret.pdf", {
      status: "failed",
      error: { code: "ENCRYPTED", message: "It has a password." },
    });
    expect(documentText(failed, "en")).toMatchObject({
      label: "secret.pdf",
      description: "The file is protected by a password. Remove the protection, then add it again.",
    });
    expect(documentText(failed, "en").tooltip).toContain(
      "The file is protected by a password. Remove the protection, then add it again. It has a password.",
    );
    const other = document("a.bin", { status: "failed", error: { code: "NEW_CODE", message: "It is from Mars." } });
    expect(documentText(other, "en").description).toBe("It is from Mars.");
  });

  it("show passages and date of a document that is ready; its folder is the row above", () => {
    const text = documentText(document("会議/定例.txt"), "en");
    expect(text).toMatchObject({ label: "定例.txt", description: "3 passages · Mar 5, 2026" });
    expect(text.tooltip).toContain("会議/定例.txt");
    expect(documentText(document("a.md"), "ja").description).toBe("3 passages · 2026/03/05");
  });

  it("say of a document that needs a token only that it does", () => {
    const text = documentText(document("", { restricted: true }), "en");
    expect(text).toMatchObject({ label: "A page or issue that needs your token", description: "" });
  });

  it("say how many documents are in a folder, and how many of them failed", () => {
    const folder = { name: "api", path: "guide/api", documents: 3, failed: 1, processing: 0 };
    expect(folderText(folder)).toEqual({
      label: "api",
      description: "3 documents · 1 failed",
      tooltip: ["guide/api", "3 documents · 1 failed"],
    });
    expect(folderText({ ...folder, failed: 0 }).description).toBe("3 documents");
  });

  it("say of a document that was found where it lies, or why it failed", () => {
    expect(foundText(document("guide/a.md", { title: "Guide" }), "a.md")).toEqual({
      label: "a.md",
      description: "Guide · default",
      detail: "guide/a.md",
    });
    const failed = document("b.pdf", { status: "failed", error: { code: "DAMAGED", message: "No end." } });
    expect(foundText(failed, "b.pdf").detail).toBe("The file is damaged and can't be read. No end.");
    expect(foundText(document("", { restricted: true }), "")).toMatchObject({
      label: "A page or issue that needs your token",
      detail: "",
    });
  });

  it("mark a collection that is disabled", () => {
    expect(collectionText(collection).description).toBe("1 document");
    expect(collectionText({ ...collection, status: "disabled", document_count: 4 }).description).toBe("4 documents, disabled");
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
