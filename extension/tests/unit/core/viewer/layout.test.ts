import { expect, it } from "vitest";

import type { MergedTableCell } from "../../../../src/core/api/types";
import { contentPart } from "../../../../src/core/viewer/content";
import { mergedCells, slideCards, slidesIn, slidesOf } from "../../../../src/core/viewer/layout";

const markdown = "## 𝒜 one\n\n![m](asset://ab12)\n\ntext\n\n## Two\n\n| **a** |\n|---|\n| 1 |";
const points = (text: string) => Array.from(markdown.slice(0, markdown.indexOf(text))).length;
const outline = [
  { title: "Part", level: 1, start: 0, slide: 1 },
  { title: "𝒜 one", level: 2, start: 0, slide: 1 },
  { title: "Two", level: 2, start: points("## Two"), slide: 3 },
];

it("counts in UTF-16 units what the daemon counts in characters", () => {
  const start = markdown.indexOf("text");
  const cell: MergedTableCell = { start: points("| **a**"), column: 0, rows: 2, columns: 1 };
  const cells = mergedCells(markdown.slice(start), start, points("text"), [cell, { ...cell, level: 1, text: "h" }]);
  expect(cells.map(({ offset }) => offset)).toEqual([markdown.indexOf("| **a**"), markdown.indexOf("| **a**")]);
  expect(cells.map(({ level, text }) => [level, text])).toEqual([
    [null, ""],
    [1, "h"],
  ]);
});

it("knows the slides by their titles, and those parts of them whose places the daemon knows", () => {
  const block = { start: points("![m]"), end: points("text"), bbox: [0, 0, 0.5, 1] as [number, number, number, number] };
  const slides = slidesOf(markdown, outline, [{ slide: 1, ratio: 1.5, blocks: [block] }]);
  expect(slides.map(({ number, title, start, ratio }) => [number, title, start, ratio])).toEqual([
    [1, "𝒜 one", 0, 1.5],
    [3, "Two", markdown.indexOf("## Two"), 16 / 9],
  ]);
  const [placed] = slides[0]?.blocks ?? [];
  expect(markdown.slice(placed?.start, placed?.end)).toBe("![m](asset://ab12)\n\n");
  expect(slides[1]?.blocks).toEqual([]);
  const cards = slideCards(markdown, slides);
  expect(cards.map(({ blocks }) => blocks.map(({ assetId, text }) => assetId ?? text))).toEqual([["ab12"], ["Two", "a 1"]]);
});

it("draws of an older document, of which no places are known, each slide's title and its picture or text", () => {
  const cards = slideCards(markdown, slidesOf(markdown, outline, []));
  expect(cards.map(({ blocks }) => blocks.map(({ assetId, text }) => assetId ?? text))).toEqual([
    ["𝒜 one", "ab12"],
    ["Two", "a 1"],
  ]);
});

it("gives a part the slides that begin in it", () => {
  const slides = slidesOf(markdown, outline, []);
  const second = contentPart(markdown, [], markdown.indexOf("## Two"), 20);
  expect(slidesIn(second, slides).map(({ number }) => number)).toEqual([3]);
});
