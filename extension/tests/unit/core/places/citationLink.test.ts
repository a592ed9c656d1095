import { describe, expect, it } from "vitest";

import { citationArgument, citedPlace, readCitationArgument } from "../../../../src/core/places/citationLink";
import { readViewerTarget } from "../../../../src/core/viewer/viewerState";
import { citation } from "../../fixtures/documents";

describe("readCitationArgument", () => {
  it("reads what a link carries, after a trip through JSON", () => {
    const cited = citation({
      chunk_ids: ["c1", "c2"],
      sheet: "設置台帳",
      cell_range: "A5:F40",
      section_path: ["設置台帳"],
    });
    const read = readCitationArgument(JSON.parse(JSON.stringify(citationArgument(cited))));
    expect(read).toEqual({ ...citedPlace(cited), content: "", sentences: [] });
  });

  it("brings the anchor of a page along", () => {
    const cited = citation({ anchor: "#%E5%86%8D%E8%A9%A6%E8%A1%8C.1" });
    expect(readCitationArgument(JSON.parse(JSON.stringify(citationArgument(cited)))).place.anchor).toBe(cited.anchor);
  });

  it("reads a whole citation, and never takes its file", () => {
    const read = readCitationArgument(citation({ source_uri: "file:///etc/passwd", page: null, line_range: [3, 9] }));
    expect(read).toEqual({
      docId: "d1",
      chunkIds: ["c1"],
      place: { section_path: [], line_range: [3, 9] },
      content: "Passage",
      sentences: [],
    });
  });

  it("takes the sentences of a citation by code points", () => {
    const cited = citation({ content: "😀 One. Two.", highlights: [[7, 11]] });
    expect(citedPlace(cited).sentences).toEqual(["Two."]);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "d1"],
    ["a list", [{ doc_id: "d1" }]],
    ["no document", { chunk_id: "c1" }],
    ["an id that is a path", { doc_id: "../../status" }],
    ["an id with a query", { doc_id: "d1?x=1" }],
    ["a page that is a text", { doc_id: "d1", page: "3" }],
    ["page 0", { doc_id: "d1", page: 0 }],
    ["half a page", { doc_id: "d1", page: 1.5 }],
    ["lines that run backwards", { doc_id: "d1", line_range: [9, 3] }],
    ["three lines", { doc_id: "d1", line_range: [1, 2, 3] }],
    ["a box outside the page", { doc_id: "d1", bbox: [0, 0, 2, 1] }],
    ["cells that are none", { doc_id: "d1", sheet: "A", cell_range: "=1+1" }],
    ["too many passages", { doc_id: "d1", chunk_ids: Array.from({ length: 51 }, () => "c") }],
    ["an anchor that goes on with the address", { doc_id: "d1", anchor: ".evil.example.com/#x" }],
    ["an anchor with a blank", { doc_id: "d1", anchor: "#a b" }],
    ["too many sentences", { doc_id: "d1", sentences: Array.from({ length: 9 }, () => "One.") }],
    ["a heading that is no text", { doc_id: "d1", section_path: [1] }],
  ])("refuses %s", (_, value) => {
    expect(() => readCitationArgument(value)).toThrow("does not name a place");
  });
});

describe("readViewerTarget", () => {
  it("brings back what a view has kept", () => {
    const document = { kind: "document", title: "Guide", note: "gone", ...citedPlace(citation({ page: 3 })) };
    const image = { kind: "image", assetId: "abc", title: "Plan" };
    expect(readViewerTarget({ target: document, page: 4 })).toEqual(document);
    expect(readViewerTarget({ target: image })).toEqual(image);
  });

  it.each([
    undefined,
    null,
    {},
    { target: { kind: "image", assetId: "../x", title: "" } },
    { target: { kind: "document", title: "x" } },
  ])("brings back nothing from %j", (state) => {
    expect(readViewerTarget(state)).toBeUndefined();
  });
});
