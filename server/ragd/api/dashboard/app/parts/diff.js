/** What differs between two texts, line by line. */

import { h } from "../lib/dom.js";
import { quiet } from "../lib/parts.js";
import { number, t } from "../lib/text.js";

// The table of the longest common subsequence has a cell for each pair of lines that differ.
const MOST_CELLS = 4_000_000;
const AROUND = 2;

/** @typedef {{ kind: "same" | "gone" | "new", text: string }} Line */

/**
 * @param {string} before
 * @param {string} after
 * @returns {Line[] | undefined} undefined where too much differs
 */
export function lines(before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const [left, right] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  if (left.length * right.length > MOST_CELLS) return undefined;
  /** @param {readonly string[]} texts @returns {Line[]} */
  const same = (texts) => texts.map((text) => ({ kind: "same", text }));
  return [...same(old.slice(0, head)), ...between(left, right), ...same(old.slice(old.length - tail))];
}

/**
 * @param {readonly string[]} left
 * @param {readonly string[]} right
 * @returns {Line[]}
 */
function between(left, right) {
  const width = right.length + 1;
  const common = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        left[i] === right[j]
          ? at(common, (i + 1) * width + j + 1) + 1
          : Math.max(at(common, (i + 1) * width + j), at(common, i * width + j + 1));
  /** @type {Line[]} */
  const found = [];
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    const [old, now] = [left[i], right[j]];
    if (old !== undefined && old === now) {
      found.push({ kind: "same", text: old });
      i += 1;
      j += 1;
    } else if (
      old !== undefined &&
      (now === undefined || at(common, (i + 1) * width + j) >= at(common, i * width + j + 1))
    ) {
      found.push({ kind: "gone", text: old });
      i += 1;
    } else {
      found.push({ kind: "new", text: now ?? "" });
      j += 1;
    }
  }
  return found;
}

/**
 * @param {Uint16Array} cells
 * @param {number} index
 */
const at = (cells, index) => cells[index] ?? 0;

/**
 * @param {string} before
 * @param {string} after
 */
export function diff(before, after) {
  const all = lines(before, after);
  if (!all) return quiet(t("Too much differs to be shown line by line."));
  const [gone, added] = ["gone", "new"].map((kind) => all.filter((line) => line.kind === kind).length);
  if (gone === 0 && added === 0) return quiet(t("The text is the same."));
  const near = all.map((_, index) =>
    all.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== "same"),
  );
  /** @type {HTMLElement[]} */
  const shown = [];
  all.forEach(({ kind, text }, index) => {
    if (!near[index]) {
      if (near[index - 1]) shown.push(h("div", { class: "quiet" }, "…"));
    } else if (kind === "same") shown.push(h("div", {}, `  ${text}`));
    else shown.push(kind === "gone" ? h("del", {}, `− ${text}`) : h("ins", {}, `+ ${text}`));
  });
  return h(
    "div",
    {},
    quiet(t("{0} lines gone, {1} new", number(gone ?? 0), number(added ?? 0))),
    h("div", { class: "diff", tabindex: 0, role: "group", "aria-label": t("What changed since") }, ...shown),
  );
}
