import { describe, expect, it, vi } from "vitest";

import type {
  Chunk,
  DocumentDetail,
  MergedTableCell,
  OutlinePlace,
  SheetRowPlace,
  SlidePlaces,
} from "../../../../src/core/api/types";
import type { DaemonClient } from "../../../../src/core/client/daemonClient";
import { citedPlace, wholeDocument } from "../../../../src/core/places/citationLink";
import { OpenDocument } from "../../../../src/core/viewer/openDocument";
import type { DocumentTarget } from "../../../../src/protocol/viewer";
import { chunk, citation, detail } from "../../fixtures/documents";

const { signal } = new AbortController();

const PARAGRAPH = { kind: "text" as const, text: "cited" };
const LINE = { paragraph: true, words: [{ text: "cited", bbox: [0, 0, 1, 1] }] };

function daemon(document: Partial<DocumentDetail>, markdown = "", chunks: Chunk[] = []) {
  const fake = {
    document: vi.fn(() => Promise.resolve(detail(document))),
    content: vi.fn(() => Promise.resolve({ id: "d1", markdown })),
    chunks: vi.fn(() => Promise.resolve(chunks)),
    pageImage: vi.fn(() => Promise.resolve(new Uint8Array([1]))),
    pages: {
      text: vi.fn(() => Promise.resolve({ page: 1, recognised: false, lines: [LINE], paragraphs: [PARAGRAPH] })),
      texts: vi.fn(() => Promise.resolve([{ page: 1, text: "one" }])),
      rows: vi.fn((): Promise<SheetRowPlace[]> => Promise.resolve([])),
      merged: vi.fn((): Promise<MergedTableCell[]> => Promise.resolve([])),
      slides: vi.fn((): Promise<SlidePlaces[]> => Promise.resolve([])),
      outline: vi.fn((): Promise<OutlinePlace[]> =>
        Promise.resolve([{ title: "B", level: 1, start: 5, page: 2, bbox: [0, 0.5, 1, 0.6] }]),
      ),
    },
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
    const { client, fake } = daemon({ doc_type: "pdf" }, "", [chunk("c1", "cited", { page: 1 })]);
    const open = await load(client, target({ content: "cited", place: { page: 2, section_path: [] } }));
    expect(await open.pageText(2, signal)).toEqual({
      lines: [{ words: [{ text: "cited", box: [0, 0, 1, 1] }] }],
      paragraphs: [PARAGRAPH],
      passages: ["cited"],
    });
    expect(await open.pageText(1, signal)).toMatchObject({ passages: [] });
    // A long document has many passages: they are not fetched for a page.
    expect(fake.chunks).not.toHaveBeenCalled();
    expect(await open.passage()).toBe("cited");
  });

  it("gives all text and the outline as it shows the document: by pages, or by characters of the content", async () => {
    const pages = await load(daemon({ doc_type: "pdf" }).client, target());
    expect(await pages.text(signal)).toEqual({ pages: [{ page: 1, text: "one" }] });
    expect(await pages.outline(signal)).toEqual([{ title: "B", level: 1, page: 2, top: 0.5, offset: null }]);
    const { client } = daemon({ doc_type: "docx" }, "# 𝒜\n\n# B");
    const content = await load(client, { kind: "document", title: "", note: "", ...wholeDocument("d1") });
    expect(await content.text(signal)).toEqual({ markdown: "# 𝒜\n\n# B", merged: [] });
    expect(await content.outline(signal)).toMatchObject([{ page: null, offset: 6 }]);
  });

  it("shows the sheet of a workbook that holds the passage, with its rows, and the others on demand", async () => {
    const markdown = "# One\n\n| a |\n|---|\n| 1 |\n\n# Two\n\n| b |\n|---|\n| 2 |";
    const { client, fake } = daemon({ doc_type: "xlsx" }, markdown, [chunk("c1", "| b |\n|---|\n| 2 |")]);
    const headings = [
      { title: "One", level: 1, start: 0, sheet: "One" },
      { title: "Two", level: 1, start: 27, sheet: "Two" },
    ];
    fake.pages.outline.mockResolvedValue(headings);
    const row = { top: 1, bottom: 2, left: "A", right: "A" };
    fake.pages.rows.mockResolvedValue([{ start: 34, ...row }]);
    const open = await load(client, target());
    const second = { start: 27, lines: [[2, 5]], rows: [{ line: 2, ...row }] };
    expect(open.shown.body).toMatchObject({ sheets: [{ offset: 0 }, { offset: 27 }], content: second });
    fake.pages.rows.mockResolvedValue([]);
    expect(await open.part(0, true, signal)).toMatchObject({ text: markdown.slice(0, 27), lines: [], after: null });
    expect(fake.pages.rows).toHaveBeenLastCalledWith("d1", 0, 27, signal);
  });

  it.each([
    ["markdown", true],
    ["notebook", true],
    ["text", false],
    ["docx", false],
  ] as const)("has the lines of %s flow: %s", async (type, isMarkdown) => {
    const open = await load(daemon({ doc_type: type }, "a\nb").client, target({ chunkIds: [], content: "" }));
    expect(open.shown.body).toMatchObject({ isMarkdown });
  });

  it("shows the merged cells of a part, and a presentation with its slides", async () => {
    const markdown = "## One\n\n| a |\n|---|\n| 1 |";
    const { client, fake } = daemon({ doc_type: "pptx" }, markdown);
    fake.pages.outline.mockResolvedValue([{ title: "One", level: 2, start: 0, slide: 1 }]);
    fake.pages.merged.mockResolvedValue([{ start: 22, column: 0, rows: 2, columns: 1 }]);
    fake.pages.slides.mockResolvedValue([{ slide: 1, ratio: 1.5, blocks: [{ start: 0, end: 6, bbox: [0, 0, 1, 0.5] }] }]);
    const open = await load(client, { kind: "document", title: "", note: "", ...wholeDocument("d1") });
    expect(open.shown.body).toMatchObject({
      slides: [{ number: 1, ratio: 1.5, blocks: [{ text: "One" }] }],
      content: { merged: [{ offset: 22, rows: 2 }], slides: [{ start: 0, blocks: [{ start: 0, end: 6 }] }] },
    });
    expect(await open.text(signal)).toMatchObject({ markdown, merged: [{ offset: 22 }] });
    expect(fake.pages.merged).toHaveBeenLastCalledWith("d1", 0, markdown.length, signal);
  });

  it("asks for the merged cells of a long document stretch by stretch, each character once", async () => {
    const markdown = "𝒜".repeat(300_000);
    const { client, fake } = daemon({ doc_type: "docx" }, markdown);
    const open = await load(client, { kind: "document", title: "", note: "", ...wholeDocument("d1") });
    fake.pages.merged.mockClear();
    await open.text(signal);
    const asked = fake.pages.merged.mock.calls as unknown as [string, number, number][];
    expect(asked.map(([, start, end]) => [start, end])).toEqual([
      [0, 125_000],
      [125_000, 250_000],
      [250_000, 300_000],
    ]);
  });

  it("makes thumbnails without marks", async () => {
    const { client, fake } = daemon({ doc_type: "pdf" });
    await (await load(client, target())).thumbnail(7, 180, signal);
    expect(fake.pageImage).toHaveBeenCalledWith("d1", 7, 180, [], signal);
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
