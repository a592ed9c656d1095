/** The tables of a sheet with its row numbers and column letters, as a workbook shows them. */

import type { SheetRow } from "../../src/protocol/viewer";
import { h } from "../shared/dom";

/** Adds them to the tables in `root`. Where columns were left out between others, letters would be wrong: then there are none. */
export function numberRows(root: ParentNode, rows: readonly SheetRow[]): void {
  const byLine = new Map(rows.map((row) => [row.line, row]));
  for (const table of root.querySelectorAll("table")) {
    const head = table.tHead?.rows[0];
    const [first] = rowsOf(head, byLine);
    const body = [...(table.tBodies[0]?.rows ?? [])];
    if (!head || !(first ?? body.some((row) => rowsOf(row, byLine).length > 0))) continue;
    const width = [...head.cells].reduce((sum, cell) => sum + cell.colSpan, 0);
    for (const row of body) row.prepend(numbered(rowsOf(row, byLine).at(0)?.bottom));
    const number = numbered(first && headNumber(first));
    number.rowSpan = table.tHead?.rows.length ?? 1;
    head.prepend(number);
    if (first) table.tHead?.prepend(letters(first, width));
  }
}

/** The row that a line begins; the first one of a table begins with its header, two lines above. */
function rowsOf(element: HTMLTableRowElement | undefined, byLine: ReadonlyMap<number, SheetRow>): SheetRow[] {
  if (!element) return [];
  const line = Number(element.dataset["line"]);
  const found = byLine.get(line) ?? (element.closest("tbody") ? byLine.get(line - 2) : undefined);
  return found ? [found] : [];
}

/** The first row of a table is said with its header, whose rows may be several. */
function headNumber({ top, bottom }: SheetRow): number | string | undefined {
  if (top === bottom) return undefined;
  return bottom - top === 1 ? top : `${top}–${bottom - 1}`;
}

function numbered(number: number | string | undefined): HTMLTableCellElement {
  return number === undefined
    ? h("td", { class: "row-number" })
    : h("th", { class: "row-number", scope: "row" }, String(number));
}

function letters({ left, right }: SheetRow, width: number): HTMLElement {
  const first = columnNumber(left);
  const isWhole = columnNumber(right) - first + 1 === width;
  const cells = Array.from({ length: width }, (_, index) =>
    isWhole ? h("th", { scope: "col" }, columnName(first + index)) : h("td"),
  );
  return h("tr", { class: "column-letters" }, h("td", { class: "row-number" }), ...cells);
}

/** 1 for `A`, 27 for `AA`. */
function columnNumber(name: string): number {
  return Array.from(name).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);
}

function columnName(number: number): string {
  let name = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) {
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  }
  return name;
}
