/** Items of a list that begin with `[ ]` or `[x]` get a box, which says what is done and can't be changed. */

import * as l10n from "@vscode/l10n";

import { h } from "./dom";

const BOX = /^\[([ xX])\]\s+/;

export function boxTasks(root: ParentNode): void {
  for (const item of root.querySelectorAll("li")) {
    const first = item.firstChild instanceof HTMLParagraphElement ? item.firstChild.firstChild : item.firstChild;
    // In a loose list the paragraph comes behind a line end.
    const text =
      first instanceof Text && first.data.trim() === "" ? item.querySelector(":scope > p")?.firstChild : first;
    const found = text instanceof Text ? BOX.exec(text.data) : null;
    if (!(text instanceof Text) || !found) continue;
    text.data = text.data.slice(found[0].length);
    const isDone = found[1] !== " ";
    const label = isDone ? l10n.t("Done") : l10n.t("To do");
    text.before(h("input", { type: "checkbox", disabled: true, checked: isDone, "aria-label": label }));
    item.classList.add("task");
  }
}
