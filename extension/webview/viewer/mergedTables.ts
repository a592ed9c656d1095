/** Tables with merged cells: the Markdown has what such a cell says in each row, the source shows one cell. */

import type MarkdownIt from "markdown-it";

import type { MergedCell } from "../../src/protocol/viewer";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** Rows of a header that was read from several. */
const MOST_LEVELS = 8;

interface Row {
  open: Token;
  close: Token;
  /** The tokens that open, hold and close each cell. */
  cells: Token[][];
}

/**
 * The tokens of Markdown, with the cells of its tables merged. `cellsAt` gives what is merged in the row of a line; whatever it
 * says, no cell goes that says something else than the one which takes its place. `inline` reads the text of a header's cell.
 */
export function mergeTables(
  tokens: readonly Token[],
  cellsAt: (line: number) => readonly MergedCell[],
  inline: (text: string) => Token[],
): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token) continue;
    result.push(token);
    if (token.type !== "thead_open" && token.type !== "tbody_open") continue;
    const isHead = token.type === "thead_open";
    const [rows, end] = rowsOf(tokens, at + 1);
    const merged = rows.map((row) => cellsAt(row.open.map?.[0] ?? -1));
    const head = isHead ? headRows(rows[0], merged[0] ?? [], inline) : undefined;
    for (const row of head ?? mergedRows(rows, merged)) result.push(row.open, ...row.cells.flat(), row.close);
    at = end - 1;
  }
  return result;
}

/** The rows from a token on, and the token behind them. */
function rowsOf(tokens: readonly Token[], from: number): [Row[], number] {
  const rows: Row[] = [];
  let at = from;
  for (; tokens[at]?.type === "tr_open"; at += 1) {
    const open = tokens[at];
    const cells: Token[][] = [];
    for (at += 1; tokens[at]?.type !== "tr_close" && at < tokens.length; at += 3) cells.push(tokens.slice(at, at + 3));
    const close = tokens[at];
    if (open && close) rows.push({ open, close, cells });
  }
  return [rows, at];
}

function mergedRows(rows: readonly Row[], merged: readonly (readonly MergedCell[])[]): readonly Row[] {
  if (merged.every((cells) => cells.length === 0)) return rows;
  // By row: the columns that belong to a merged cell, and those of them that it begins in.
  const taken = rows.map(() => new Set<number>());
  const kept = rows.map(() => new Set<number>());
  for (const [top, cells] of merged.entries()) {
    for (const cell of cells) {
      const [open, inner] = rows[top]?.cells[cell.column] ?? [];
      if (!open || !inner || cell.level !== null || taken[top]?.has(cell.column)) continue;
      const isFree = (row: number, column: number) => {
        const content = rows[row]?.cells[column]?.[1]?.content;
        return !taken[row]?.has(column) && (content === "" || content === inner.content);
      };
      let right = cell.column + 1;
      while (right < cell.column + cell.columns && isFree(top, right)) right += 1;
      const columns = Array.from({ length: right - cell.column }, (_, index) => cell.column + index);
      let bottom = top + 1;
      while (bottom < top + cell.rows && columns.every((column) => isFree(bottom, column))) bottom += 1;
      for (let row = top; row < bottom; row += 1) columns.forEach((column) => taken[row]?.add(column));
      kept[top]?.add(cell.column);
      spread(open, bottom - top, columns.length);
    }
  }
  return rows.map((row, index) => ({
    ...row,
    cells: row.cells.filter((_, column) => !taken[index]?.has(column) || kept[index]?.has(column)),
  }));
}

/** The rows of a header that was read from several; undefined where what is said of them does not fill them exactly. */
function headRows(
  row: Row | undefined,
  merged: readonly MergedCell[],
  inline: (text: string) => Token[],
): Row[] | undefined {
  const stated = merged.filter((cell): cell is MergedCell & { level: number } => cell.level !== null);
  const [first, , last] = row?.cells[0] ?? [];
  if (!row || !first || !last || stated.length === 0) return undefined;
  const height = stated.reduce((most, { level }) => Math.max(most, level), 0) + 1;
  const width = row.cells.length;
  if (height > MOST_LEVELS) return undefined;
  const levels: Row[] = Array.from({ length: height }, () => ({ ...row, cells: [] }));
  const taken = new Set<number>();
  for (const { level, column, rows, columns, text } of stated) {
    if (level < 0 || column < 0 || level + rows > height || column + columns > width) return undefined;
    for (let place = 0; place < rows * columns; place += 1) {
      const at = (level + Math.floor(place / columns)) * width + column + (place % columns);
      if (taken.has(at)) return undefined;
      taken.add(at);
    }
    const open = Object.assign(Object.create(Object.getPrototypeOf(first) as object), first, { attrs: null }) as Token;
    spread(open, rows, columns);
    levels[level]?.cells.push([open, ...inline(text), last]);
  }
  return taken.size === height * width ? levels : undefined;
}

function spread(open: Token, rows: number, columns: number): void {
  if (rows > 1) open.attrSet("rowspan", String(rows));
  if (columns > 1) open.attrSet("colspan", String(columns));
}
