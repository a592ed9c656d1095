/** Tables and small parts that the dashboard is made of. */

import { h } from "./dom";

type Cell = Node | string;

export interface Column {
  title: string;
  /** Figures stand on the right. */
  isNumber?: boolean;
}

/** A table with its caption for screen readers; the first cell of a row names the row. */
export function table(caption: string, columns: readonly Column[], rows: readonly Cell[][]): HTMLElement {
  const head = columns.map(({ title, isNumber }) =>
    h("th", { scope: "col", class: isNumber ? "number" : undefined }, title),
  );
  const body = rows.map((cells) =>
    h(
      "tr",
      {},
      ...cells.map((cell, index) => (index === 0 ? h("th", { scope: "row" }, cell) : plainCell(cell, columns[index]))),
    ),
  );
  const element = h(
    "table",
    {},
    h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, ...head)),
    h("tbody", {}, ...body),
  );
  // A table wider than the tab is scrolled by itself, also by the keyboard.
  return h("div", { class: "table", tabindex: 0, role: "region", "aria-label": caption }, element);
}

export function section(id: string, title: string, ...content: (Node | false)[]): HTMLElement {
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
}

/** Names and values, as in "Version: 0.1.0". */
export function nameValueList(rows: readonly [string, string][]): HTMLElement {
  return h("dl", {}, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function plainCell(cell: Cell, column: Column | undefined): HTMLElement {
  return h("td", { class: column?.isNumber ? "number" : undefined }, cell);
}
