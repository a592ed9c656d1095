/** A flow chart as a drawing of ours: boxes in layers, arrows between them, every label as text. */

import { svg } from "../../lib/dom.js";
import { number, t } from "../../lib/text.js";
import { layered } from "./layers.js";
import { chartOf } from "./mermaid.js";

/** @typedef {import("./layers.js").Placed & { shape?: string }} Placed */
/** @typedef {import("./mermaid.js").Step} Step */

const MOST_STEPS = 80;
const LINE = 17;
const MARGIN = 16;
const ROOM = { x: 12, y: 8 };
/** Units of a line: a letter counts one, a sign of Japanese or Chinese two. */
const LONGEST = 24;
const UNIT = 7.4;

let drawings = 0;

/**
 * The drawing, or undefined for a diagram that is better read as its text: another kind, or too large.
 * @param {string} text Mermaid as the daemon writes it
 */
export function drawing(text) {
  const chart = chartOf(text);
  if (!chart || chart.steps.length === 0 || chart.steps.length > MOST_STEPS) return undefined;
  const isAcross = chart.direction === "LR" || chart.direction === "RL";
  const isTurned = chart.direction === "BT" || chart.direction === "RL";
  const labels = new Map(chart.steps.map((step) => [step.id, lines(labelOf(step, chart.groups))]));
  const sizes = chart.steps.map((step) => sized(step, labels.get(step.id) ?? []));
  // Layers are made from top to bottom; a chart that runs across is turned by a quarter.
  const turned = sizes.map(({ id, width, height }) =>
    isAcross ? { id, width: height, height: width } : { id, width, height },
  );
  const found = layered(turned, chart.arrows);
  /** @param {Placed} place @returns {Placed} */
  function here({ x, y, width, height }) {
    const along = isTurned ? found.height - y : y;
    return isAcross ? { x: along, y: x, width: height, height: width } : { x, y: along, width, height };
  }
  const places = new Map([...found.places].map(([id, place]) => [id, here(place)]));
  for (const { id, shape } of chart.steps) {
    const place = places.get(id);
    if (place) place.shape = shape;
  }
  const [width, height] = isAcross ? [found.height, found.width] : [found.width, found.height];
  const arrowHead = `arrow${(drawings += 1)}`;
  const arrows = chart.arrows.flatMap((arrow, index) => {
    const [from, to] = [places.get(arrow.from), places.get(arrow.to)];
    return from && to ? [arrowOf(arrow, from, to, (found.bends[index] ?? []).map(here), arrowHead)] : [];
  });
  const steps = chart.steps.flatMap((step) => {
    const place = places.get(step.id);
    return place ? [stepOf(step, place, labels.get(step.id) ?? [])] : [];
  });
  const [wide, high] = [width + 2 * MARGIN, height + 2 * MARGIN];
  return svg(
    "svg",
    {
      class: "drawing",
      role: "img",
      "aria-label": t(
        "Flow chart with {0} steps and {1} arrows",
        number(chart.steps.length),
        number(chart.arrows.length),
      ),
      viewBox: `${-MARGIN} ${-MARGIN} ${wide} ${high}`,
      width: wide,
      height: high,
    },
    svg(
      "defs",
      {},
      svg(
        "marker",
        {
          id: arrowHead,
          viewBox: "0 0 10 10",
          refX: 9,
          refY: 5,
          markerWidth: 8,
          markerHeight: 8,
          orient: "auto-start-reverse",
        },
        svg("path", { d: "M0 0L10 5L0 10z", class: "head" }),
      ),
    ),
    ...arrows.map(({ path }) => path),
    ...steps,
    ...arrows.map(({ label }) => label),
  );
}

/**
 * A step of a group names it: groups have no frame of their own here.
 * @param {Step} step
 * @param {Record<string, string>} groups
 */
const labelOf = ({ label, group }, groups) => (groups[group] ? `${groups[group]} › ${label}` : label);

/**
 * A label in lines, cut between words where there are any.
 * @param {string} label
 */
function lines(label) {
  /** @type {string[]} */
  const found = [];
  let line = "";
  for (const word of label.split(/(?<=\s)|(?<=[\u3000-\u9fff\uff00-\uffef])/u)) {
    if (line !== "" && units(line + word.trimEnd()) > LONGEST) {
      found.push(line.trim());
      line = "";
    }
    line += word;
  }
  return [...found, line.trim()].filter((one) => one !== "").slice(0, 6);
}

/** @param {string} text */
const units = (text) => [...text].reduce((sum, sign) => sum + (/[\u1100-\u11ff\u2e80-\uffef]/u.test(sign) ? 2 : 1), 0);

/**
 * @param {Step} step
 * @param {readonly string[]} text
 */
function sized({ id, shape }, text) {
  const width = Math.max(24, UNIT * Math.max(0, ...text.map(units)) + 2 * ROOM.x);
  const height = Math.max(24, LINE * Math.max(text.length, 1) + 2 * ROOM.y);
  // The text of a diamond stands where it is half as wide.
  return shape === "diamond" ? { id, width: 1.5 * width, height: 1.7 * height } : { id, width, height };
}

/**
 * @param {Step} step
 * @param {Placed} place
 * @param {readonly string[]} text
 */
function stepOf({ shape }, { x, y, width, height }, text) {
  const [left, top, right, bottom] = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
  const box = { x: left, y: top, width, height };
  const outline =
    shape === "diamond"
      ? svg("path", { d: `M${x} ${top}L${right} ${y}L${x} ${bottom}L${left} ${y}z` })
      : shape === "ellipse" || shape === "circle"
        ? svg("ellipse", { cx: x, cy: y, rx: width / 2, ry: height / 2 })
        : shape === "hexagon" || shape === "parallelogram"
          ? svg("path", { d: `M${left + 10} ${top}H${right}L${right - 10} ${bottom}H${left}z` })
          : svg("rect", { ...box, rx: shape === "round" ? height / 3 : shape === "cylinder" ? 10 : 2 });
  const first = y - ((text.length - 1) * LINE) / 2;
  return svg(
    "g",
    { class: "step" },
    outline,
    ...text.map((line, at) => svg("text", { x, y: first + at * LINE }, line)),
  );
}

/**
 * @param {import("./mermaid.js").Arrow} arrow
 * @param {Placed} from
 * @param {Placed} to
 * @param {readonly Placed[]} bends
 * @param {string} head
 */
function arrowOf({ kind, label }, from, to, bends, head) {
  const way = from === to ? around(from) : [from, ...bends, to];
  const [second = to, last = from] = [way[1], way.at(-2)];
  const points = [border(from, second), ...way.slice(1, -1), border(to, last)];
  const middle = points[Math.floor((points.length - 1) / 2)] ?? from;
  const next = points[Math.floor((points.length - 1) / 2) + 1] ?? to;
  const path = svg("path", {
    class: kind === "-.->" ? "way dotted" : "way",
    d: points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""),
    "marker-end": kind === "---" ? undefined : `url(#${head})`,
    "marker-start": kind === "<-->" ? `url(#${head})` : undefined,
  });
  const place = { class: "on", x: (middle.x + next.x) / 2, y: (middle.y + next.y) / 2 };
  return { path, label: label === "" ? null : svg("text", place, lines(label).join(" ")) };
}

/**
 * Where a line from the middle of a step towards a point leaves it.
 * @param {Placed} step
 * @param {{ x: number, y: number }} towards
 */
function border({ x, y, width, height, shape }, towards) {
  const [dx, dy] = [towards.x - x, towards.y - y];
  if (dx === 0 && dy === 0) return { x, y };
  const [across, down] = [Math.abs(dx) / (width / 2), Math.abs(dy) / (height / 2)];
  const isRound = shape === "ellipse" || shape === "circle";
  const scale = 1 / (shape === "diamond" ? across + down : isRound ? Math.hypot(across, down) : Math.max(across, down));
  return { x: x + dx * scale, y: y + dy * scale };
}

/**
 * From a step to itself.
 * @param {Placed} step
 */
function around(step) {
  const [right, down] = [step.x + step.width / 2 + 18, step.height / 4];
  return [step, { ...step, x: right, y: step.y - down }, { ...step, x: right, y: step.y + down }, step];
}
