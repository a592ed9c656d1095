import { describe, expect, it } from "vitest";

import { contentPart, headingSpan, partAround, passageSpans, textSpan, utf16Offsets } from "../../../../src/core/viewer/content";
import { chunk } from "../../fixtures/documents";

describe("passageSpans", () => {
  const markdown = "Same.\n\nOther.\n\nSame.\n\nLast.";
  const chunks = [chunk("a", "Same."), chunk("b", "Other."), chunk("c", "Same."), chunk("d", "Last.")];

  it("tells repeated texts apart by their order", () => {
    expect(passageSpans(markdown, chunks, ["c"])).toEqual([[15, 20]]);
  });

  it("joins neighbours, also those that overlap", () => {
    expect(passageSpans(markdown, chunks, ["c", "d"])).toEqual([[15, 27]]);
    expect(passageSpans("one two three", [chunk("a", "one two"), chunk("b", "two three")], ["a", "b"])).toEqual([[0, 13]]);
  });

  it("finds nothing for ids that are not known any more", () => {
    expect(passageSpans(markdown, chunks, ["x"])).toEqual([]);
  });
});

it("finds a passage by its text, and a section by its heading", () => {
  expect(textSpan("a\n\nthe text\n", " the text ")).toEqual([[3, 11]]);
  expect(textSpan("a", "")).toEqual([]);
  expect(headingSpan("# A\n\n## What (now)?\n", "What (now)?")).toEqual([[5, 19]]);
  expect(headingSpan("# A", undefined)).toEqual([]);
});

describe("contentPart", () => {
  const paragraphs = Array.from({ length: 100 }, (_, index) => `Paragraph ${String(index).padStart(3, "0")}.`).join("\n\n");

  it("gives a short document whole, with the lines that are marked", () => {
    expect(contentPart("a\n\nb\nc\n\nd", [[3, 6]])).toEqual({
      text: "a\n\nb\nc\n\nd",
      start: 0,
      lines: [[2, 4]],
      rows: [],
      merged: [],
      slides: [],
      before: null,
      after: null,
    });
  });

  it("gives the part around the passage of a long one, cut between paragraphs", () => {
    const start = paragraphs.indexOf("Paragraph 050.");
    const part = contentPart(paragraphs, [[start, start + 14]], undefined, 200);
    const [line] = part.lines[0] ?? [0];
    expect(part.text.split("\n")[line]).toBe("Paragraph 050.");
    expect(part.text.length).toBeLessThan(260);
    expect(part.text).toMatch(/^Paragraph \d{3}\./);
    expect([part.before, part.after]).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it("leaves no gap when it is read on to the end, and none at the beginning", () => {
    let text = "";
    for (let from: number | null = 0; from !== null;) {
      const part = contentPart(paragraphs, [], from, 300);
      text += part.text;
      from = part.after;
    }
    expect(text).toBe(paragraphs);
    expect(contentPart(paragraphs, [], contentPart(paragraphs, [], 100, 300).before ?? -1, 300).text).toMatch(/^Paragraph 000/);
  });
});

describe("partAround", () => {
  it("holds the character, also in the middle of a table that is longer than a part", () => {
    const text = `before\n\n${"| row |\n".repeat(200)}\nafter`;
    const part = partAround(text, [], 900, 100);
    expect(part.start).toBe(8);
    expect(part.start + part.text.length).toBeGreaterThan(900);
    expect(partAround(text, [], text.indexOf("after"), 100).text).toBe("after");
    expect(partAround("abc\n\ndef", [], 6).start).toBe(0);
  });
});

it("finds characters that are counted in code points", () => {
  expect(utf16Offsets("𝒜b𝒞d", [0, 1, 2, 3, 9])).toEqual([0, 2, 3, 5, 6]);
});
