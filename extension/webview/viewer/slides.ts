/** Slides as cards: each begins with its title, a heading of the second level. */

import { h } from "../shared/dom";

/** Puts what stands below each slide's title into a card of its own. Sections of the presentation stay between the cards. */
export function slideCards(root: Element): void {
  let card: HTMLElement | undefined;
  let isBegun = false;
  for (const node of [...root.children]) {
    // The label of a cited title goes with it.
    const isLabel = node.matches(".passage-label") && node.nextElementSibling?.matches("h2") === true;
    if (node.matches("h1, .more")) card = undefined;
    else if (isLabel || (node.matches("h2") && !isBegun)) {
      card = h("section", { class: "slide" });
      node.before(card);
    }
    isBegun = isLabel;
    card?.append(node);
  }
}
