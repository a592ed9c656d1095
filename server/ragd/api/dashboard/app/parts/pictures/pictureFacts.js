/** What is said of a picture, and by whom: its type, its description, its table or values, its drawing. No words of the document. */

import { part } from "../../lib/api.js";
import { h } from "../../lib/dom.js";
import { action, badge, facts, folded, quiet, section, table } from "../../lib/parts.js";
import { number, t, time } from "../../lib/text.js";
import { drawing } from "./drawing.js";

/** @param {string} type */
export function typeName(type) {
  switch (type) {
    case "table":
      return t("Table");
    case "chart":
      return t("Chart");
    case "flowchart":
      return t("Flow chart");
    case "diagram":
      return t("Diagram");
    case "screenshot":
      return t("Screenshot");
    case "photo":
      return t("Photograph");
    case "mixed":
      return t("Several kinds in one");
    case "unknown":
      return t("Unknown");
    default:
      return type;
  }
}

/** @param {{ provider: string, model: string }} said */
export const by = ({ provider, model }) => [provider, model].filter((one) => one !== "").join(" ");

/** @param {any} said */
export function badges(said) {
  const sure = said.certainty > 0 && t("{0} % sure", number(100 * said.certainty));
  return h(
    "p",
    { class: "badges" },
    badge([typeName(said.image_type), sure].filter(Boolean).join(", "), "plain"),
    said.low_quality && badge(t("Little could be said"), "warn"),
    said.unseen_numbers > 0 &&
      badge(
        said.unseen_numbers === 1
          ? t("1 number was said that was not read in the picture")
          : t("{0} numbers were said that were not read in the picture", number(said.unseen_numbers)),
        "warn",
      ),
    h("span", { class: "quiet" }, t("Described by {0}, {1}", by(said), time(said.created_at))),
  );
}

/**
 * @param {any} said
 * @param {string} id of the picture
 */
export function described(said, id) {
  return section(
    t("Description of the picture"),
    quiet(t("These are words of whoever described it, for search, and none of the document.")),
    badges(said),
    said.title && h("h3", {}, said.title),
    said.summary ? h("p", {}, said.summary) : quiet(t("Nothing was said.")),
    said.key_points.length > 0 && h("ul", {}, ...said.key_points.map((/** @type {string} */ one) => h("li", {}, one))),
    facts([
      [t("Names"), said.entities.join(", ")],
      [t("Not certain"), said.uncertainties.length > 0 && list(said.uncertainties)],
      [
        t("Said of"),
        said.same_as && h("a", { href: `#/pictures?same_as=${part(id)}` }, t("a picture that shows the same")),
      ],
    ]),
    said.numbers.length > 0 &&
      folded(said.numbers.length === 1 ? t("1 number") : t("{0} numbers", number(said.numbers.length)), () =>
        numbers(said.numbers),
      ),
  );
}

/** @param {readonly string[]} texts */
const list = (texts) => h("ul", {}, ...texts.map((one) => h("li", {}, one)));

/** @param {readonly any[]} rows */
function numbers(rows) {
  const columns = [{ title: t("Name") }, { title: t("Value"), isNumber: true }, { title: t("Where it is read") }];
  return table(
    t("Numbers in the picture"),
    columns,
    rows.map(({ name, value, unit, context }) => [name, [value, unit].filter(Boolean).join(" "), context]),
  );
}

/** The cells of a table, or the values of a chart; nothing where there is neither. @param {any} said */
export function cells(said) {
  const rows = said.table.length > 0 ? said.table : valuesOf(said.series);
  const [head, ...body] = rows;
  if (!head) return null;
  const title = said.table.length > 0 ? t("Table in the picture") : t("Values of the chart");
  const width = Math.max(...rows.map((/** @type {readonly string[]} */ row) => row.length));
  /** @param {readonly string[]} row */
  const whole = (row) => Array.from({ length: width }, (_, index) => row[index] ?? "");
  return section(
    title,
    action(t("Copy as CSV"), async () => {
      await navigator.clipboard.writeText(csvOf(rows));
      return t("Copied");
    }),
    table(
      title,
      whole(head).map((one) => ({ title: one })),
      body.map(whole),
    ),
  );
}

/**
 * A row for each name of the axis, a column for each series.
 * @param {readonly { name: string, points: readonly (readonly [string, string])[] }[]} series
 * @returns {string[][]}
 */
function valuesOf(series) {
  if (series.length === 0) return [];
  const labels = [...new Set(series.flatMap(({ points }) => points.map(([label]) => label)))];
  const maps = series.map(({ points }) => new Map(points));
  return [
    ["", ...series.map(({ name }) => name)],
    ...labels.map((label) => [label, ...maps.map((one) => one.get(label) ?? "")]),
  ];
}

/**
 * As a spreadsheet reads it. A cell that it would run as a formula stands behind a `'`; a number is none.
 * @param {readonly (readonly string[])[]} rows
 */
export function csvOf(rows) {
  /** @param {string} text */
  const cell = (text) => {
    const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+\s?%?$/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/** A diagram drawn, with its source; nothing where there is none. @param {any} said */
export function diagram(said) {
  if (!said.mermaid) return null;
  const drawn = drawing(said.mermaid);
  const source = () => h("pre", { class: "source", tabindex: 0 }, said.mermaid);
  return section(
    t("Diagram"),
    drawn
      ? h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": t("Diagram") }, drawn)
      : quiet(t("A diagram of this kind, or of this size, is shown as its Mermaid source here.")),
    action(t("Copy Mermaid"), async () => {
      await navigator.clipboard.writeText(said.mermaid);
      return t("Copied");
    }),
    drawn ? folded(t("Mermaid source"), source) : source(),
  );
}
