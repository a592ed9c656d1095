import { describe, expect, it } from "vitest";

import { asOfText, citationLabel, placeLabel, shortName, type Place } from "../../../src/protocol/places";

const at = (place: Partial<Place>): Place => ({ section_path: ["Chapter", "Heading"], ...place });

describe("placeLabel", () => {
  it.each<[string, Partial<Place>]>([
    ["page 3", { page: 3 }],
    ["slide 2", { slide: 2 }],
    ["設置台帳!B2:D9", { sheet: "設置台帳", cell_range: "B2:D9" }],
    ["Orders", { sheet: "Orders" }],
    ["lines 10–20", { line_range: [10, 20] }],
    ["line 7", { line_range: [7, 7] }],
    ["Heading", {}],
    ["", { section_path: [] }],
  ])("is %j", (label, place) => {
    expect(placeLabel(at(place))).toBe(label);
  });

  it("takes fields that are null as absent", () => {
    expect(placeLabel(at({ page: null, slide: null, sheet: null, line_range: null }))).toBe("Heading");
  });
});

describe("shortName", () => {
  it.each([
    ["guides/setup.md", "setup.md"],
    ["C:\\Daten\\Bericht.docx", "Bericht.docx"],
    ["会議/2026-01-20_定例会議.txt", "2026-01-20_定例会議.txt"],
    ["KEY-12", "KEY-12"],
    ["folder/", "folder"],
    ["/", "/"],
  ])("of %j is %j", (source, name) => {
    expect(shortName(source)).toBe(name);
  });
});

it("names a citation in one line, without a comma where it has no place", () => {
  expect(citationLabel({ ...at({ page: 3 }), source: "papers/spec.pdf" })).toBe("spec.pdf, page 3");
  expect(citationLabel({ ...at({ section_path: [] }), source: "mail/note.eml" })).toBe("note.eml");
});

it("says as of which day a text is, everywhere the same day, and nothing of one that is current", () => {
  expect(asOfText({ as_of: "2026-03-05" }, "en")).toBe("as of Mar 5, 2026");
  expect(asOfText({ as_of: "2026-03-05" }, "ja")).toContain("2026/03/05");
  expect([asOfText({ as_of: null }, "en"), asOfText({}, "en")]).toEqual(["", ""]);
});
