import { describe, expect, it } from "vitest";

import { editorEncoding } from "../../../../src/core/places/encodings";
import { cellsInLines } from "../../../../src/core/places/notebookCells";
import { findPassage, findSentences } from "../../../../src/core/places/passageLines";

describe("findSentences", () => {
  it("finds sentences however their lines are broken, and leaves out what is not there", () => {
    const text = "# A\r\nThe lease is\r\n  30 seconds (at most). More.";
    const found = findSentences(text, ["The lease is\n30 seconds (at most).", "gone", " "]);
    expect(found.map(([start, end]) => text.slice(start, end))).toEqual(["The lease is\r\n  30 seconds (at most)."]);
  });
});

describe("findPassage", () => {
  const file = ["# Title", "", "The lease is 30 seconds.", "It can be longer.", "", "End"].join("\n");

  it("stays at the lines that are named when the passage is there", () => {
    const passage = "The lease is 30 seconds.\nIt can be longer.";
    expect(findPassage(file, [3, 4], passage)).toEqual({ lines: [3, 4], state: "there" });
  });

  it("follows a passage that has moved, also with other ends of lines", () => {
    const moved = `new\r\nnew\r\n${file.replaceAll("\n", "\r\n")}`;
    expect(findPassage(moved, [3, 4], "The lease is 30 seconds.\nIt can be longer.")).toEqual({
      lines: [5, 6],
      state: "moved",
    });
  });

  it("takes the nearest of several", () => {
    const lines = Array.from({ length: 40 }, (_, index) => (index % 10 === 0 ? "the same line of text" : `line ${index}`));
    expect(findPassage(lines.join("\n"), [19, 19], "the same line of text").lines).toEqual([21, 21]);
  });

  it("says when the passage is gone, and stays inside the file", () => {
    expect(findPassage("short\nfile", [30, 40], "The lease is 30 seconds.")).toEqual({ lines: [2, 2], state: "lost" });
  });

  it("trusts the lines when the passage is not known", () => {
    expect(findPassage(file, [3, 4], "")).toEqual({ lines: [3, 4], state: "there" });
  });
});

describe("cellsInLines", () => {
  const notebook = JSON.stringify(
    {
      metadata: { cells: ["no"] },
      cells: [{ source: ['a {["\n'] }, { source: ["b"] }, { outputs: [{ text: "c" }] }],
      nbformat: 4,
    },
    null,
    1,
  );
  const lineOf = (text: string) => notebook.split("\n").findIndex((line) => line.includes(text)) + 1;

  it("finds the cell that a line stands in, also behind brackets in texts", () => {
    expect(cellsInLines(notebook, [lineOf('"b"'), lineOf('"b"')])).toEqual([1, 2]);
    expect(cellsInLines(notebook, [lineOf('"b"'), lineOf('"c"')])).toEqual([1, 3]);
  });

  it("finds none outside of the cells", () => {
    expect(cellsInLines(notebook, [1, 2])).toBeUndefined();
  });
});

it("gives encodings the editor's names, and leaves UTF-8 to it", () => {
  expect([editorEncoding("cp932"), editorEncoding("utf-8"), editorEncoding(undefined)]).toEqual([
    "shiftjis",
    undefined,
    undefined,
  ]);
});
