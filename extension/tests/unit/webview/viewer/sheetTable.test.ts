// @vitest-environment jsdom
import { expect, it } from "vitest";

import type { MergedCell, SheetRow } from "../../../../src/protocol/viewer";
import { renderContent } from "../../../../webview/viewer/content";
import { numberRows } from "../../../../webview/viewer/sheetTable";

function shown(text: string, rows: SheetRow[], merged: MergedCell[] = []): string[] {
  const box = document.createElement("div");
  box.append(renderContent({ text, start: 0, lines: [], rows, merged, slides: [], before: null, after: null }, ""));
  numberRows(box, rows);
  return [...box.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent).join(","));
}

it("numbers the rows of a sheet that was read in pieces, and letters its columns", () => {
  const text = "# S\n\n| h | k |\n|---|---|\n| 1 | x |\n| 2 | y |\n\n| h | k |\n|---|---|\n| 3 | z |";
  const rows = [
    { line: 2, top: 4, bottom: 5, left: "Z", right: "AA" },
    { line: 5, top: 7, bottom: 7, left: "Z", right: "AA" },
    { line: 7, top: 8, bottom: 8, left: "Z", right: "AA" },
  ];
  expect(shown(text, rows)).toEqual([",Z,AA", "4,h,k", "5,1,x", "7,2,y", "8,3,z"]);
});

it("gives no letters where columns were left out, and no numbers to what is no row of a sheet", () => {
  const text = "| h | k |\n|---|---|\n| 1 | x |";
  expect(shown(text, [{ line: 0, top: 1, bottom: 3, left: "A", right: "B" }])[1]).toBe("1–2,h,k");
  expect(shown(text, [{ line: 0, top: 1, bottom: 2, left: "A", right: "D" }])).toEqual([",,", "1,h,k", "2,1,x"]);
  expect(shown(text, [])).toEqual(["h,k", "1,x"]);
});

it("numbers and letters a table with a header of two rows and merged cells", () => {
  const text = "| Area / North | Area / South |\n|---|---|\n| 1 | 1 |";
  const merged = [
    { offset: 0, column: 0, rows: 1, columns: 2, level: 0, text: "Area" },
    { offset: 0, column: 0, rows: 1, columns: 1, level: 1, text: "North" },
    { offset: 0, column: 1, rows: 1, columns: 1, level: 1, text: "South" },
    { offset: text.indexOf("| 1"), column: 0, rows: 1, columns: 2, level: null, text: "" },
  ];
  const rows = [{ line: 0, top: 3, bottom: 5, left: "B", right: "C" }];
  expect(shown(text, rows, merged)).toEqual([",B,C", "3–4,Area", "North,South", "5,1"]);
});
