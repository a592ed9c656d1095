import { describe, expect, it } from "vitest";

import type { Collection, Document, Page, Source } from "../../../../src/core/api/types";
import { searchRequest } from "../../../../src/core/answer/searchRequest";
import { scopeChoices } from "../../../../src/core/scope/scopeChoices";
import type { ScopeItem } from "../../../../src/protocol/session";

const SIGNAL = new AbortController().signal;

function client(...sources: string[]) {
  const documents = sources.map((source, index) => ({ id: `d${index}`, source, restricted: source === "secret" }));
  return {
    collections: () =>
      Promise.resolve([
        { name: "samples", status: "enabled", document_count: documents.length },
        { name: "old", status: "disabled", document_count: 5 },
      ] as unknown as Collection[]),
    sources: () => Promise.resolve([{ id: "s1", name: "Notes" }] as unknown as Source[]),
    documents: (_name: string, _status: string | undefined, page: number, size: number) =>
      Promise.resolve({ items: documents.slice((page - 1) * size, page * size) } as unknown as Page<Document>),
  };
}

describe("what can be asked", () => {
  it("is each enabled collection, source, folder with what is below it, and document", async () => {
    const choices = await scopeChoices(client("guides/setup/a.md", "guides/b.md", "c.md", "https://wiki/x/y", "secret"), SIGNAL);
    expect(choices.map(({ kind, id, detail }) => `${kind} ${id} ${detail}`.trim())).toEqual([
      "collection samples 5 documents",
      "source s1",
      "folder guides/ 2 documents",
      "folder guides/setup/ 1 documents",
      "document d0 guides/setup",
      "document d1 guides",
      "document d2",
      "document d3 https://wiki/x",
    ]);
  });

  it("is read page by page, and not without end", async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => `f/${index}.md`);
    const choices = await scopeChoices(client(...many), SIGNAL);
    expect(choices.filter(({ kind }) => kind === "document")).toHaveLength(2_000);
  });
});

describe("a question about something", () => {
  const scope: ScopeItem[] = [
    { kind: "document", id: "d1", label: "a.md" },
    { kind: "folder", id: "/home/me/notes/", label: "notes/" },
    { kind: "document", id: "d2", label: "b.md" },
  ];

  it("is searched in any of it, whatever collection is chosen, with the filters besides", () => {
    const asked = searchRequest("Why?", { collection: "samples", scope, filters: { doc_type: ["pdf"] } });
    expect(asked.filters).toEqual({
      doc_type: ["pdf"],
      among: { doc_id: ["d1", "d2"], path_prefix: ["/home/me/notes/"] },
    });
    expect(asked).not.toHaveProperty("collection");
  });

  it("is searched by its own words: what was attached is no part of them", () => {
    const asked = searchRequest("Why?", { scope: [], attachments: [{ name: "a", text: "selected" }] });
    expect(JSON.stringify(asked)).not.toContain("selected");
    expect(asked).not.toHaveProperty("filters");
  });
});
