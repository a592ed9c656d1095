/** How good the runs of one dataset were over time: a line for each strategy. */

import { h, svg } from "../lib/dom.js";
import { score, t, time } from "../lib/text.js";

const [WIDTH, HEIGHT, EDGE] = [640, 140, 12];

/** @typedef {{ at: string, value: number, strategy: string }} Point */

/**
 * @param {string} metric
 * @param {readonly Point[]} points in any order; nothing is drawn where no strategy has two
 */
export function trend(metric, points) {
  const lines = [...new Set(points.map(({ strategy }) => strategy))]
    .map((strategy) => ({
      strategy,
      of: points.filter((one) => one.strategy === strategy).sort((a, b) => a.at.localeCompare(b.at)),
    }))
    .filter(({ of }) => of.length > 1);
  if (lines.length === 0) return null;
  const moments = lines.flatMap(({ of }) => of.map(({ at }) => Date.parse(at)));
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const x = (/** @type {string} */ at) =>
    EDGE + ((Date.parse(at) - first) / Math.max(1, last - first)) * (WIDTH - 2 * EDGE);
  const y = (/** @type {number} */ value) => HEIGHT - EDGE - value * (HEIGHT - 2 * EDGE);
  const drawn = lines.flatMap(({ strategy, of }, index) => [
    svg("polyline", {
      class: `line line-${index % 4}`,
      points: of.map(({ at, value }) => `${x(at)},${y(value)}`).join(" "),
    }),
    ...of.map(({ at, value }) =>
      svg(
        "circle",
        { class: `line-${index % 4}`, cx: x(at), cy: y(value), r: 4 },
        svg("title", {}, `${strategy}, ${time(at)}: ${score(value)}`),
      ),
    ),
  ]);
  const label = t("{0} over time", metric);
  return h(
    "figure",
    {},
    svg("svg", { class: "trend", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...drawn),
    h(
      "figcaption",
      { class: "badges" },
      h("span", { class: "quiet" }, label),
      ...lines.map(({ strategy, of }, index) =>
        h(
          "span",
          { class: `named line-${index % 4}` },
          `${strategy}: ${score(of[0]?.value)} → ${score(of.at(-1)?.value)}`,
        ),
      ),
    ),
  );
}
