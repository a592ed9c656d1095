import { describe, expect, it } from "vitest";

import { contentPart } from "../../../../src/core/viewer/content";
import { codePointsOf, partOfSheet, rowsByLine, sheetsOf } from "../../../../src/core/viewer/sheets";

const FIRST = "# 𝒜\n\n| a |\n|---|\n| 1 |\n\n";
const SECOND = "# B\n\n## Title\n\n| b |\n|---|\n| 2 |";
const MARKDOWN = FIRST + SECOND;
const SHEETS = sheetsOf(MARKDOWN, [
  { title: "𝒜", level: 1, start: 0, sheet: "𝒜" },
  { title: "B", level: 1, start: FIRST.length - 1, sheet: "B" },
  { title: "Title", level: 2, start: FIRST.length + 4, sheet: "B" },
]);

const part = (at: number, spans: [number, number][] = []) =>
  partOfSheet(MARKDOWN, spans, SHEETS, at, (text, marked, from) => contentPart(text, marked, from));

describe("a workbook", () => {
  it("has its sheets where their headings stand", () => {
    expect(SHEETS).toEqual([
      { title: "𝒜", offset: 0 },
      { title: "B", offset: FIRST.length },
    ]);
  });

  it("is shown sheet by sheet, with what is marked on it", () => {
    expect(part(3)).toMatchObject({ text: FIRST, start: 0, before: null, after: null, lines: [] });
    const cited: [number, number] = [MARKDOWN.indexOf("| 2 |"), MARKDOWN.length];
    expect(part(cited[0], [cited])).toMatchObject({ text: SECOND, start: FIRST.length, lines: [[6, 7]] });
    expect(part(0, [cited])).toMatchObject({ text: FIRST, lines: [] });
  });

  it("goes on within a long sheet, never into the next one", () => {
    const long = `# A\n\n${"row\n\n".repeat(100)}`;
    const sheets = [
      { title: "A", offset: 0 },
      { title: "B", offset: long.length },
    ];
    const markdown = `${long}# B\n\nother`;
    const cut = (text: string, marked: readonly [number, number][], at: number) => contentPart(text, marked, at, 200);
    let text = "";
    for (let at: number | null = 0; at !== null;) {
      const shown = partOfSheet(markdown, [], sheets, at, cut);
      text += shown.text;
      at = shown.after;
    }
    expect(text).toBe(long);
    expect(partOfSheet(markdown, [], sheets, long.length, cut)).toMatchObject({ text: "# B\n\nother", before: null });
  });

  it("asks for its rows in characters as the daemon counts them, and knows them by their lines", () => {
    const second = part(FIRST.length);
    const [start, end] = codePointsOf(MARKDOWN, second);
    expect(Array.from(MARKDOWN).slice(start, end).join("")).toBe(SECOND);
    const row = { top: 3, bottom: 4, left: "A", right: "A" };
    const at = SECOND.indexOf("| b |");
    expect(rowsByLine(second.text, start, [{ start: start + at, ...row }])).toEqual([{ line: 4, ...row }]);
    expect(
      rowsByLine(FIRST, 0, [
        { start: 5, ...row },
        { start: 5, ...row },
      ]).map(({ line }) => line),
    ).toEqual([2, 2]);
  });
});
