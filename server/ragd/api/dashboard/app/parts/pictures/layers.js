/**
 * Where the steps of a flow chart stand: in layers along its direction, after Sugiyama. Arrows that lead back are turned round for
 * the layers; an arrow over several layers gets a place in each; the order within a layer follows the neighbours' mean places.
 */

/** @typedef {{ id: string, width: number, height: number }} Sized */
/** @typedef {{ x: number, y: number, width: number, height: number }} Placed the middle, and the size */

const GAP = 34;
const BETWEEN = 56;
const SWEEPS = 6;

/**
 * @param {readonly Sized[]} steps
 * @param {readonly { from: string, to: string }[]} arrows
 * @returns {{ places: Map<string, Placed>, bends: Placed[][], width: number, height: number }} `bends` are by arrow, between its ends
 */
export function layered(steps, arrows) {
  const known = new Set(steps.map(({ id }) => id));
  const forward = forwards(
    steps,
    arrows.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to),
  );
  const layer = layersOf(steps, forward);
  /** @type {Sized[][]} */
  const rows = [];
  /** @param {Sized} one @param {number} at */
  const put = (one, at) => void (rows[at] ??= []).push(one);
  for (const step of steps) put(step, layer.get(step.id) ?? 0);
  /** @type {Map<string, string[]>} */
  const neighbours = new Map();
  /** @param {string} one @param {string} other */
  const join = (one, other) => {
    neighbours.set(one, [...(neighbours.get(one) ?? []), other]);
    neighbours.set(other, [...(neighbours.get(other) ?? []), one]);
  };
  const bent = arrows.map(({ from, to }, index) => {
    const [start, end] = [layer.get(from) ?? 0, layer.get(to) ?? 0];
    const step = start < end ? 1 : -1;
    /** @type {string[]} */
    const ids = [];
    for (let at = start + step; start !== end && at !== end; at += step) {
      const id = ` ${index} ${at}`;
      put({ id, width: 8, height: 8 }, at);
      ids.push(id);
    }
    const chain = [from, ...ids, to];
    if (from !== to) for (let at = 1; at < chain.length; at += 1) join(chain[at - 1] ?? "", chain[at] ?? "");
    return ids;
  });
  order(rows, neighbours);
  const { places, width, height } = placed(rows);
  return { places, bends: bent.map((ids) => ids.flatMap((id) => places.get(id) ?? [])), width, height };
}

/**
 * Arrows without circles: one that leads back to where its way came from is turned round.
 * @param {readonly Sized[]} steps
 * @param {readonly { from: string, to: string }[]} arrows
 */
function forwards(steps, arrows) {
  /** @type {Map<string, string[]>} */
  const after = new Map();
  for (const { from, to } of arrows) after.set(from, [...(after.get(from) ?? []), to]);
  /** @type {Map<string, "open" | "done">} */
  const seen = new Map();
  /** @type {Set<string>} */
  const back = new Set();
  for (const { id } of steps) {
    if (seen.has(id)) continue;
    const stack = [{ id, next: 0 }];
    seen.set(id, "open");
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const to = after.get(top.id)?.[top.next];
      top.next += 1;
      if (to === undefined) {
        seen.set(top.id, "done");
        stack.pop();
      } else if (seen.get(to) === "open") back.add(`${top.id} ${to}`);
      else if (!seen.has(to)) {
        seen.set(to, "open");
        stack.push({ id: to, next: 0 });
      }
    }
  }
  return arrows.map(({ from, to }) => (back.has(`${from} ${to}`) ? { from: to, to: from } : { from, to }));
}

/**
 * The longest way to each step.
 * @param {readonly Sized[]} steps
 * @param {readonly { from: string, to: string }[]} arrows without circles
 */
function layersOf(steps, arrows) {
  const layer = new Map(steps.map(({ id }) => [id, 0]));
  for (let round = 0, changed = true; changed && round <= steps.length; round += 1) {
    changed = false;
    for (const { from, to } of arrows) {
      const least = (layer.get(from) ?? 0) + 1;
      if ((layer.get(to) ?? 0) >= least) continue;
      layer.set(to, least);
      changed = true;
    }
  }
  return layer;
}

/**
 * @param {Sized[][]} rows
 * @param {Map<string, string[]>} neighbours
 */
function order(rows, neighbours) {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const places = new Map(rows.flatMap((row) => row.map(({ id }, index) => [id, (index + 0.5) / row.length])));
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      const wanted = new Map(row.map(({ id }) => [id, mean(neighbours.get(id) ?? [], places) ?? places.get(id) ?? 0]));
      row.sort((one, other) => (wanted.get(one.id) ?? 0) - (wanted.get(other.id) ?? 0));
      row.forEach(({ id }, index) => places.set(id, (index + 0.5) / row.length));
    }
  }
}

/**
 * @param {readonly string[]} ids
 * @param {Map<string, number>} places
 */
function mean(ids, places) {
  return ids.length === 0 ? undefined : ids.reduce((sum, id) => sum + (places.get(id) ?? 0), 0) / ids.length;
}

/** @param {readonly Sized[][]} rows */
function placed(rows) {
  const widths = rows.map((row) => row.reduce((sum, one) => sum + one.width, GAP * (row.length - 1)));
  const width = Math.max(0, ...widths);
  /** @type {Map<string, Placed>} */
  const places = new Map();
  let y = 0;
  rows.forEach((row, index) => {
    const height = Math.max(...row.map((one) => one.height));
    let x = (width - (widths[index] ?? 0)) / 2;
    for (const one of row) {
      places.set(one.id, { x: x + one.width / 2, y: y + height / 2, width: one.width, height: one.height });
      x += one.width + GAP;
    }
    y += height + BETWEEN;
  });
  return { places, width, height: Math.max(0, y - BETWEEN) };
}
