/** Slides as cards: each begins with its title, a heading of the second level. What stands at a known place stands there. */

import type { ContentPart, Slide } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { lineStarts } from "./content";

/** Of the usual size of text: the first at which a block's text has room in its box. */
const SIZES = [1, 0.85, 0.7, 0.6, 0.5];
/** Share of the slide; what is smaller is a line or damage, and its text stands in the flow. */
const SMALLEST = 0.02;
const WHOLE = 0.95;

/** Puts what stands below each slide's title into a card of its own. Sections of the presentation stay between the cards. */
export function slideCards(root: Element, part: Pick<ContentPart, "text" | "start" | "slides">): void {
  const lines = lineStarts(part.text);
  const slides = new Map(part.slides.map((slide) => [slide.start, slide]));
  const offsetOf = (element: Element) => part.start + (lines[lineOf(element)] ?? -1 - part.start);
  for (const card of cards(root)) {
    const title = card.querySelector("h2");
    const slide = title ? slides.get(offsetOf(title)) : undefined;
    if (!slide) continue;
    card.dataset["slide"] = String(slide.number);
    if (slide.blocks.length > 0) place(card, slide, offsetOf);
  }
}

/** Makes texts smaller that have no room in their boxes, slide by slide as they come into sight. */
export function fitSlides(root: Element): void {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        for (const block of target.querySelectorAll<HTMLElement>(".placed")) fit(block);
      }
    },
    { rootMargin: "400px" },
  );
  for (const stage of root.querySelectorAll(".stage")) seen.observe(stage);
}

function cards(root: Element): HTMLElement[] {
  const found: HTMLElement[] = [];
  let card: HTMLElement | undefined;
  let isBegun = false;
  for (const node of [...root.children]) {
    // The label of a cited title goes with it.
    const isLabel = node.matches(".passage-label") && node.nextElementSibling?.matches("h2") === true;
    if (node.matches("h1, .more")) card = undefined;
    else if (isLabel || (node.matches("h2") && !isBegun)) {
      card = h("section", { class: "slide" });
      found.push(card);
      node.before(card);
    }
    isBegun = isLabel;
    card?.append(node);
  }
  return found;
}

/** Puts the blocks of a card at their places. What has none stays above or below them, as it is read. */
function place(card: Element, { blocks, ratio }: Slide, offsetOf: (element: Element) => number): void {
  const stage = h("div", { class: "stage" });
  stage.style.aspectRatio = String(ratio);
  const boxes = new Map<Slide["blocks"][number], HTMLElement>();
  for (const node of [...card.children]) {
    if (node.matches(".passage-label")) continue;
    const at = offsetOf(node);
    const block = blocks.find(({ start, end }) => at >= start && at < end);
    const box = block && (boxes.get(block) ?? boxAt(block.box));
    if (!block || !box) continue;
    if (boxes.size === 0) node.before(stage);
    if (!boxes.has(block)) stage.append(box);
    boxes.set(block, box);
    box.append(node);
  }
}

function boxAt([left, top, right, bottom]: Slide["blocks"][number]["box"]): HTMLElement | undefined {
  const [x, y] = [Math.max(0, left), Math.max(0, top)];
  const [width, height] = [Math.min(1, right) - x, Math.min(1, bottom) - y];
  if (!(width >= SMALLEST && height >= SMALLEST)) return undefined;
  // What fills the slide is its background, whenever it is read.
  const box = h("div", { class: width > WHOLE && height > WHOLE ? "placed backdrop" : "placed" });
  Object.assign(box.style, { left: share(x), top: share(y), width: share(width), height: share(height) });
  return box;
}

function share(value: number): string {
  return `${Math.round(value * 10_000) / 100}%`;
}

function fit(block: HTMLElement): void {
  const overflows = () => block.scrollHeight > block.clientHeight + 1 || block.scrollWidth > block.clientWidth + 1;
  for (const size of SIZES) {
    block.style.setProperty("--fit", String(size));
    if (!overflows()) return;
  }
  // It scrolls, also by the keyboard.
  block.tabIndex = 0;
}

/** The line of the text at which an element, or what it holds, begins. */
function lineOf(element: Element): number {
  const lined = element.matches("[data-line]") ? element : element.querySelector("[data-line]");
  return lined instanceof HTMLElement ? Number(lined.dataset["line"]) : -1;
}
