/** What pages are made of: sections, tables, names with values, pagers, and any value at all as a tree. */

import { h } from "./dom.js";
import { number, t } from "./text.js";

/** @typedef {import("./dom.js").Child} Child */

let ids = 0;

/**
 * @param {string} title
 * @param {...Child} content
 */
export function section(title, ...content) {
  const id = `s${(ids += 1)}`;
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
}

/**
 * A table with its caption for screen readers; the first cell of a row names the row. One that is wider than the page is scrolled
 * by itself, also by the keyboard.
 * @param {string} caption
 * @param {readonly { title: string, isNumber?: boolean }[]} columns
 * @param {readonly (readonly Child[])[]} rows
 */
export function table(caption, columns, rows) {
  const head = columns.map(({ title, isNumber }) => h("th", { scope: "col", class: isNumber && "number" }, title));
  const body = rows.map((cells) =>
    h(
      "tr",
      {},
      ...cells.map((cell, index) =>
        index === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: columns[index]?.isNumber && "number" }, cell),
      ),
    ),
  );
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "group", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...body),
    ),
  );
}

/**
 * Names and values. What has no value is left out.
 * @param {readonly (readonly [string, Child])[]} rows
 */
export function facts(rows) {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "");
  return h("dl", {}, ...shown.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/**
 * Any value of a trace or of a document's metadata, whoever wrote it: names and values, lists, texts.
 * @param {unknown} value
 * @returns {Child}
 */
export function tree(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return number(value, 6);
  if (typeof value !== "object") return String(value);
  const entries = Array.isArray(value)
    ? value.map((one, index) => /** @type {const} */ ([String(index + 1), one]))
    : Object.entries(value);
  if (entries.length === 0) return "–";
  if (Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null)) return value.join(", ");
  const inner = () => facts(entries.map(([name, one]) => [name, tree(one)]));
  if (entries.length <= 8) return inner();
  return folded(t("{0} entries", number(entries.length)), inner);
}

/**
 * What is drawn only when it is opened.
 * @param {string} title
 * @param {() => Child} content
 */
export function folded(title, content) {
  let isDrawn = false;
  /** @type {HTMLDetailsElement} */
  const details = h("details", { ontoggle: draw }, h("summary", {}, title));
  function draw() {
    if (isDrawn || !details.open) return;
    isDrawn = true;
    details.append(h("div", {}, content()));
  }
  return details;
}

/**
 * @param {string} text
 * @param {"good" | "warn" | "bad" | "plain"} kind
 */
export const badge = (text, kind) => h("span", { class: `badge ${kind}` }, text);

/** @param {string} text */
export const quiet = (text) => h("p", { class: "quiet" }, text);

/** @param {unknown} error */
export function failure(error) {
  const message = error instanceof Error ? error.message : String(error);
  return h("p", { class: "failure", role: "alert" }, message);
}

/**
 * @param {{ page: number, page_size: number, total: number }} shown
 * @param {(page: number) => string} link
 */
export function pager({ page, page_size, total }, link) {
  const last = Math.max(1, Math.ceil(total / page_size));
  if (last === 1) return null;
  return h(
    "nav",
    { class: "pager", "aria-label": t("Pages") },
    page > 1 && h("a", { href: link(page - 1) }, t("Previous")),
    h("span", {}, t("Page {0} of {1}", number(page), number(last))),
    page < last && h("a", { href: link(page + 1) }, t("Next")),
  );
}

/**
 * A button that does something once: off while it works, and what goes wrong stands beside it.
 * @param {string} label
 * @param {() => Promise<unknown>} work
 * @param {string} [describedAs] for screen readers, where the label alone does not say of what
 * @param {string} [question] is asked first, where what it does cannot be undone; a dialog of the browser does not show inside the editor
 */
export function action(label, work, describedAs, question) {
  const said = h("span", { role: "status", class: "said" });
  const button = h(
    "button",
    {
      "aria-label": describedAs,
      onclick: () => (question ? ask(question) : void run()),
    },
    label,
  );
  /** @param {string} asked */
  function ask(asked) {
    const yes = h("button", { onclick: () => void run() }, label);
    const no = h("button", { onclick: withdraw }, t("Cancel"));
    said.replaceChildren(h("span", { class: "asked" }, asked, " ", yes, " ", no));
    no.focus();
  }
  function withdraw() {
    said.replaceChildren();
    button.focus();
  }
  async function run() {
    button.disabled = true;
    said.replaceChildren();
    try {
      const told = await work();
      if (typeof told === "string") said.append(told);
    } catch (error) {
      said.append(failure(error));
    } finally {
      button.disabled = false;
    }
  }
  return h("span", { class: "action" }, button, said);
}

/**
 * @param {string} label
 * @param {readonly string[]} values
 * @param {string} chosen
 * @param {(value: string) => string} shown
 */
export function options(label, values, chosen, shown) {
  return h(
    "select",
    { "aria-label": label },
    ...values.map((value) => h("option", { value, selected: value === chosen }, shown(value))),
  );
}
