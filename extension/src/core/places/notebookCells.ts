/** Which cells of a Jupyter notebook stand in which lines of it: the editor shows cells, the daemon knows lines. */

/** Cells from 0, `[first, behind the last]`; undefined when the lines hold none. Lines count from 1. */
export function cellsInLines(text: string, lines: readonly [number, number]): [number, number] | undefined {
  const cells = cellLines(text);
  const inside = cells.flatMap(([first, last], index) => (first <= lines[1] && last >= lines[0] ? [index] : []));
  const [first, last] = [inside[0], inside.at(-1)];
  return first === undefined || last === undefined ? undefined : [first, last + 1];
}

/** The first and the last line of each object in the top-level list `cells`. */
function cellLines(text: string): [number, number][] {
  const found: [number, number][] = [];
  let line = 1;
  let depth = 0;
  let key = "";
  let inCells = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\n") line += 1;
    else if (character === '"') {
      const end = stringEnd(text, at);
      if (depth === 1) key = text.slice(at + 1, end);
      at = end;
    } else if (character === "{" || character === "[") {
      depth += 1;
      if (depth === 2) inCells = key === "cells" && character === "[";
      if (depth === 3 && inCells) start = line;
    } else if (character === "}" || character === "]") {
      if (depth === 3 && inCells) found.push([start, line]);
      depth -= 1;
    }
  }
  return found;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
