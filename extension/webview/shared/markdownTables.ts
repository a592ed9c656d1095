/** Tables: in a box that scrolls, and long ones in several pieces that keep the widths of the first. */

import * as l10n from "@vscode/l10n";

import { h } from "./dom";
import { tableTools } from "./tableCopy";

/** Wide tables scroll in a box of their own, also by the keyboard; above each stands what copies it. */
export function boxTables(root: ParentNode, copy: (text: string) => void): void {
  for (const table of root.querySelectorAll("table")) {
    const box = h("div", { class: "table-box", tabindex: 0, role: "group", "aria-label": l10n.t("Table") });
    table.replaceWith(box);
    box.append(tableTools(copy), table);
  }
}

/** Give `next` the columns of the table before it; otherwise each row would lay out all rows anew. */
export function continueTable(first: HTMLTableElement, next: HTMLTableElement): void {
  if (!first.classList.contains("fixed"))
    fix(
      first,
      [...first.querySelectorAll("th")].map((cell) => cell.offsetWidth),
    );
  next.classList.add("continued");
  // Those of its first piece copy all of it.
  next.parentElement?.querySelector(".table-tools")?.remove();
  const columns = first.querySelector("colgroup");
  if (columns === null) return;
  next.classList.add("fixed");
  next.style.width = first.style.width;
  next.prepend(columns.cloneNode(true));
}

function fix(table: HTMLTableElement, widths: number[]): void {
  table.classList.add("fixed");
  table.style.width = `${widths.reduce((sum, width) => sum + width, 0)}px`;
  const columns = widths.map((width) => {
    const column = h("col");
    column.style.width = `${width}px`;
    return column;
  });
  table.prepend(h("colgroup", {}, ...columns));
}
