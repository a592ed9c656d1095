/** The words of a page over its picture: not seen, but selected, copied and found where they are printed. */

import type { PageLine } from "../../src/protocol/viewer";
import { h } from "../shared/dom";

/** Height of letters as they are set, in heights of their box, which spans ascenders and descenders. */
const FONT_SHARE = 0.8;
const MEASURED_AT = 100;
const FONT = "sans-serif";

let canvas: CanvasRenderingContext2D | null | undefined;

/**
 * `ratio` is the picture's height over its width. Sizes are in widths of the picture, so that the layer grows with it; each word
 * is stretched to the width that it has in print.
 */
export function textLayer(lines: readonly PageLine[], ratio: number): HTMLElement {
  const layer = h("div", { class: "text-layer", "aria-hidden": "true" });
  for (const { words } of lines) {
    for (const [index, { text, box }] of words.entries()) {
      // The blank after a word is its own: one between words, which stand where they are put, would not be copied.
      if (box) layer.append(word(text, index === words.length - 1 ? "" : " ", box, ratio));
    }
    layer.append(h("br"));
  }
  return layer;
}

function word(
  text: string,
  blank: string,
  [left, top, right, bottom]: [number, number, number, number],
  ratio: number,
): HTMLElement {
  const span = h("span", {}, text + blank);
  const [width, height] = [right - left, (bottom - top) * ratio];
  // Written downward: Japanese columns, and what is printed along the edge.
  const isUpright = text.length > 1 && height > 1.5 * width;
  const size = FONT_SHARE * (isUpright ? width : height);
  const stretch = (isUpright ? height : width) / (size * relativeWidth(text));
  span.style.left = `${100 * left}%`;
  span.style.top = `${100 * top}%`;
  span.style.fontSize = `${100 * size}cqw`;
  if (isUpright) span.style.writingMode = "vertical-rl";
  if (Number.isFinite(stretch)) span.style.transform = isUpright ? `scaleY(${stretch})` : `scaleX(${stretch})`;
  return span;
}

/** A text's width in font sizes. */
function relativeWidth(text: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length / 2;
  canvas.font = `${MEASURED_AT}px ${FONT}`;
  return canvas.measureText(text).width / MEASURED_AT;
}
