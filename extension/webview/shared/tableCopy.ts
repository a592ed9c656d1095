/** A table of an answer as text for the clipboard: all pieces that it was drawn in, with its heading once. */

import * as l10n from "@vscode/l10n";

import { h } from "./dom";
import { icon } from "./icons";

/** What we put into cells. */
const OURS = ".chip, .unsupported-mark";

export function tableTools(copy: (text: string) => void): HTMLElement {
  const button = (label: string, name: string, write: (rows: string[][]) => string) =>
    h(
      "button",
      {
        ...{ type: "button", class: "ghost", title: label, "aria-label": label },
        onclick: () => copy(write(rowsOf(tools))),
      },
      icon("copy"),
      name,
    );
  const tools = h(
    "div",
    { class: "table-tools" },
    button(l10n.t("Copy table as CSV"), "CSV", csv),
    button(l10n.t("Copy table as Markdown"), "Markdown", markdownTable),
  );
  return tools;
}

/** The table goes on in the boxes that follow, as long as they are marked so. */
function rowsOf(tools: HTMLElement): string[][] {
  const box = tools.closest(".table-box");
  const boxes = [...(box?.closest(".markdown")?.querySelectorAll(".table-box") ?? [])];
  const from = box ? boxes.indexOf(box) : -1;
  const next = boxes.findIndex((other, index) => index > from && !other.classList.contains("continued"));
  const tables = boxes.slice(from, next < 0 ? undefined : next).flatMap((one) => [...one.querySelectorAll("table")]);
  return tables.flatMap((table, index) =>
    [...table.rows]
      .filter((row) => index === 0 || row.closest("thead") === null)
      .map((row) => [...row.cells].map(textOf)),
  );
}

function textOf(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement;
  for (const part of copy.querySelectorAll(OURS)) part.remove();
  return copy.textContent.trim();
}

export function csv(rows: readonly string[][]): string {
  return rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

function csvField(text: string): string {
  // A spreadsheet would run what looks like a formula, and documents write these cells, not the person who pastes them.
  const harmless = /^(?:[=@\t\r]|[+-](?![\d.,\s]*%?$))/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function markdownTable([head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ")).join(" | ")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}
