import { describe, expect, it, vi } from "vitest";

import type { Chunk, DocumentDetail } from "../../../../src/core/api/types";
import type { DaemonClient } from "../../../../src/core/client/daemonClient";
import { citedPlace, wholeDocument } from "../../../../src/core/places/citationLink";
import { OpenDocument } from "../../../../src/core/viewer/openDocument";
import type { DocumentTarget } from "../../../../src/protocol/viewer";
import { chunk, citation, detail } from "../../fixtures/documents";

const { signal } = new AbortController();

function daemon(document: Partial<DocumentDetail>, markdown = "", chunks: Chunk[] = []) {
  const fake = {
    document: vi.fn(() => Promise.resolve(detail(document))),
    content: vi.fn(() => Promise.resolve({ id: "d1", markdown })),
    chunks: vi.fn(() => Promise.resolve(chunks)),
    pageImage: vi.fn(() => Promise.resolve(new Uint8Array([1]))),
  };
  return { fake, client: fake as unknown as DaemonClient };
}

function target(more: Partial<DocumentTarget> = {}): DocumentTarget {
  return { kind: "document", title: "Guide", note: "", ...citedPlace(citation()), ...more };
}

const load = (client: DaemonClient, wanted: DocumentTarget) =>
  OpenDocument.load(client, wanted, () => Promise.resolve("Open File"), signal);

describe("OpenDocument", () => {
  it("shows a PDF by its pages, from the cited one, and reads nothing else for it", async () => {
    const { client, fake } = daemon({ doc_type: "pdf", metadata: { page_count: 6 } });
    const open = await load(client, target({ place: { page: 3, section_path: [] } }));
    expect(open.shown).toMatchObject({
      place: "Page 3",
      openLabel: "Open File",
      body: { kind: "pages", page: 3, pageCount: 6 },
    });
    expect(fake.content).not.toHaveBeenCalled();
    await open.page(4, 900, signal);
    expect(fake.pageImage).toHaveBeenCalledWith("d1", 4, 900, ["c1"], signal);
  });

  it("does not know how many pages an older PDF has, and asks for none beyond the last", async () => {
    const old = await load(daemon({ doc_type: "pdf" }).client, target());
    expect(old.shown.body).toEqual({ kind: "pages", page: 1, pageCount: null });
    const shrunk = await load(
      daemon({ doc_type: "pdf", metadata: { page_count: 2 } }).client,
      target({ place: { page: 9, section_path: [] } }),
    );
    expect(shrunk.shown.body).toMatchObject({ page: 2 });
  });

  it("shows of a PDF that was never read why, and asks for no page of it", async () => {
    const error = { code: "DAMAGED", message: "The file is damaged." };
    const { client } = daemon({ doc_type: "pdf", version_id: null, status: "failed", error });
    const { shown } = await load(client, target({ chunkIds: [], content: "" }));
    expect(shown).toMatchObject({ note: "The file is damaged.", body: { kind: "content" } });
  });

  it("gives the text of a page with the cited passage marked", async () => {
    const chunks = [chunk("c0", "before", { page: 1 }), chunk("c1", "cited", { page: 1 }), chunk("c2", "later", { page: 2 })];
    const open = await load(daemon({ doc_type: "pdf" }, "", chunks).client, target());
    expect(await open.pageText(1)).toMatchObject({ text: "before\n\ncited", lines: [[2, 3]] });
    expect(await open.pageText(2)).toMatchObject({ text: "later", lines: [] });
    expect(await open.passage()).toBe("cited");
  });

  it("falls back on what was read when the file of a PDF is gone, and says why", async () => {
    const open = await load(daemon({ doc_type: "pdf" }, "a\n\ncited", [chunk("c1", "cited")]).client, target());
    const { shown } = await open.withoutPages("The file is gone.", signal);
    expect(shown).toMatchObject({ note: "The file is gone.", body: { kind: "content", content: { lines: [[2, 3]] } } });
  });

  it("marks the passage in what was read", async () => {
    const { client } = daemon({ doc_type: "xlsx" }, "# Nodes\n\n| a |\n|---|\n| 1 |", [chunk("c1", "| a |\n|---|\n| 1 |")]);
    const open = await load(client, target({ place: { sheet: "Nodes", cell_range: "A1:A2", section_path: [] } }));
    expect(open.shown).toMatchObject({
      place: "Nodes!A1:A2",
      note: "",
      body: { kind: "content", content: { lines: [[2, 5]] } },
    });
    expect(await open.passage()).toBe("| a |\n|---|\n| 1 |");
  });

  it("finds a passage by its text when its ids are old, else by its heading, and says that it is gone", async () => {
    const { client } = daemon({ doc_type: "docx" }, "# Terms\n\nThe text.", [chunk("new", "The text.")]);
    const byText = await load(client, target({ chunkIds: ["old"], content: "The text." }));
    expect(byText.shown).toMatchObject({ note: "", body: { content: { lines: [[2, 3]] } } });
    const lost = await load(client, target({ chunkIds: ["old"], content: "Other.", place: { section_path: ["Terms"] } }));
    expect(lost.shown.note).toContain("no longer in it");
    expect(lost.shown.body).toMatchObject({ content: { lines: [[0, 1]] } });
    expect(await lost.passage()).toBe("Other.");
  });

  it("shows a picture with its mark and the text in it", async () => {
    const { client } = daemon({ doc_type: "image" }, "![x.png](asset://ab12)\n\nQueues", [chunk("c1", "Queues")]);
    const open = await load(client, target({ place: { bbox: [0, 0, 0.5, 0.5], section_path: [] } }));
    expect(open.shown.body).toMatchObject({
      kind: "picture",
      assetId: "ab12",
      box: [0, 0, 0.5, 0.5],
      content: { text: "Queues" },
    });
  });

  it("shows a whole document without asking for its passages", async () => {
    const { client, fake } = daemon({ doc_type: "email", title: "" }, "Hello");
    const open = await load(client, { kind: "document", title: "", note: "", ...wholeDocument("d1") });
    expect(open.shown).toMatchObject({ title: "guide.md", place: "", body: { content: { text: "Hello", lines: [] } } });
    expect(fake.chunks).not.toHaveBeenCalled();
  });
});
