/** Flow charts and states out of Mermaid as the daemon writes it, line by line; what it does not write is not read. */

/** @typedef {{ id: string, label: string, shape: string, group: string }} Step */
/** @typedef {{ from: string, to: string, label: string, kind: string }} Arrow */
/** @typedef {{ direction: string, steps: Step[], arrows: Arrow[], groups: Record<string, string> }} Chart */

const SHAPES = [
  { open: "(((", close: ")))", shape: "circle" },
  { open: "([", close: "])", shape: "ellipse" },
  { open: "((", close: "))", shape: "circle" },
  { open: "[(", close: ")]", shape: "cylinder" },
  { open: "{{", close: "}}", shape: "hexagon" },
  { open: "[/", close: "/]", shape: "parallelogram" },
  { open: "[", close: "]", shape: "box" },
  { open: "(", close: ")", shape: "round" },
  { open: "{", close: "}", shape: "diamond" },
];

/**
 * The chart, or undefined for another kind of diagram, which is shown as its text.
 * @param {string} text
 * @returns {Chart | undefined}
 */
export function chartOf(text) {
  const [head = "", ...lines] = text.split("\n");
  const direction = /^flowchart (TB|BT|LR|RL)$/.exec(head)?.[1];
  if (direction) return flowchart(direction, lines);
  return head === "stateDiagram-v2" ? states(lines) : undefined;
}

/**
 * @param {string} direction
 * @param {readonly string[]} lines
 * @returns {Chart}
 */
function flowchart(direction, lines) {
  /** @type {Chart} */
  const chart = { direction, steps: [], arrows: [], groups: {} };
  /** @type {string[]} */
  const open = [];
  for (const line of lines) {
    const group = /^ +subgraph (g\d+)\["(.*)"\]$/.exec(line);
    const arrow = /^ +(n\d+) (---|<-->|-\.->|-->)(?:\|"(.*)"\|)? (n\d+)$/.exec(line);
    const step = /^ +(n\d+)([[({].*)$/.exec(line);
    if (group) {
      open.push(group[1] ?? "");
      chart.groups[group[1] ?? ""] = plain(group[2] ?? "");
    } else if (line.trim() === "end") open.pop();
    else if (arrow) {
      const [, from = "", kind = "", label = "", to = ""] = arrow;
      chart.arrows.push({ from, to, kind, label: plain(label) });
    } else if (step) chart.steps.push({ id: step[1] ?? "", group: open.at(-1) ?? "", ...boxed(step[2] ?? "") });
  }
  return chart;
}

/** @param {string} text a label in its quotes and the signs of its shape */
function boxed(text) {
  for (const { open, close, shape } of SHAPES) {
    if (text.startsWith(`${open}"`) && text.endsWith(`"${close}`))
      return { shape, label: plain(text.slice(open.length + 1, -close.length - 1)) };
  }
  return { shape: "box", label: plain(text) };
}

/**
 * @param {readonly string[]} lines
 * @returns {Chart}
 */
function states(lines) {
  /** @type {Chart} */
  const chart = { direction: "TB", steps: [], arrows: [], groups: {} };
  let ends = 0;
  /** @param {string} name */
  function end(name) {
    if (name !== "[*]") return name;
    const id = `end${(ends += 1)}`;
    chart.steps.push({ id, label: "", shape: "circle", group: "" });
    return id;
  }
  for (const line of lines) {
    const direction = /^ +direction (TB|BT|LR|RL)$/.exec(line)?.[1];
    const state = /^ +state "(.*)" as (n\d+)$/.exec(line);
    const arrow = /^ +(n\d+|\[\*\]) --> (n\d+|\[\*\])(?: : (.*))?$/.exec(line);
    if (direction) chart.direction = direction;
    else if (state) chart.steps.push({ id: state[2] ?? "", label: plain(state[1] ?? ""), shape: "round", group: "" });
    else if (arrow)
      chart.arrows.push({
        from: end(arrow[1] ?? ""),
        to: end(arrow[2] ?? ""),
        kind: "-->",
        label: plain(arrow[3] ?? ""),
      });
  }
  return chart;
}

/**
 * A label without Mermaid's references to signs.
 * @param {string} label
 */
const plain = (label) =>
  label
    .replace(/#(\d{1,7});/g, (whole, code) => (Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole))
    .trim();
