/** A figure between 0 and 1 with its interval, as a picture beside its number. */

import { svg } from "../lib/dom.js";

const WIDTH = 160;
const HEIGHT = 14;

/** @param {{ mean: number, low: number, high: number }} figure */
export function intervalBar({ mean, low, high }) {
  const at = (/** @type {number} */ value) => 5 + value * (WIDTH - 10);
  const middle = HEIGHT / 2;
  return svg(
    "svg",
    { class: "interval", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true" },
    svg("line", { class: "scale", x1: at(0), x2: at(1), y1: middle, y2: middle }),
    svg("line", { class: "within", x1: at(low), x2: at(high), y1: middle, y2: middle }),
    svg("circle", { cx: at(mean), cy: middle, r: 4 }),
  );
}
