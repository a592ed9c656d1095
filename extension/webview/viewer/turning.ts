/** Keys and buttons that turn pages and slides. */

import { h } from "../shared/dom";

type Step = 1 | -1;

/** Of a screen, what stays in sight when it is scrolled on. */
const KEPT = 0.1;

/** What a key without others means: to the next or the one before, by the arrows, or a screen onward, by the page keys. */
export function turn(event: KeyboardEvent): { by: Step; isScreen: boolean } | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined;
  switch (event.key) {
    case "ArrowLeft":
      return { by: -1, isScreen: false };
    case "ArrowRight":
      return { by: 1, isScreen: false };
    case "PageUp":
      return { by: -1, isScreen: true };
    case "PageDown":
      return { by: 1, isScreen: true };
    default:
      return undefined;
  }
}

/** Scrolls by nearly a screen; false at the end. */
export function scrollOn(area: Element, by: Step): boolean {
  const before = area.scrollTop;
  area.scrollTop += by * area.clientHeight * (1 - KEPT);
  return Math.abs(area.scrollTop - before) >= 1;
}

/** Whether the arrows scroll what has the focus to the side. */
export function scrollsSideways(focused: EventTarget | null, within: Element): boolean {
  let area = focused instanceof Element && within.contains(focused) ? focused : within;
  for (;;) {
    if (area.scrollWidth > area.clientWidth + 1 && getComputedStyle(area).overflowX !== "visible") return true;
    if (area === within || !area.parentElement) return false;
    area = area.parentElement;
  }
}

/** A button of the toolbar that is small where there is little room. */
export function turnButton(label: string, title: string, sign: string, onclick: () => void): HTMLButtonElement {
  return h(
    "button",
    { class: "turn", title, "aria-label": label, onclick },
    h("span", { class: "turn-sign", "aria-hidden": "true" }, sign),
    h("span", { class: "turn-label" }, label),
  );
}
