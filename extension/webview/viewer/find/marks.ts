/** Hits in what is shown: found in the page's own text, and marked without touching it. */

import { BOUNDARY, fold, matches, original } from "./matching";

const BLOCKS = "p, li, td, th, h1, h2, h3, h4, h5, h6, pre, section";
const HITS = "viewer-hits";
const CURRENT = "viewer-current-hit";

interface Piece {
  node: Text;
  /** Where it begins in the collected text. */
  start: number;
}

/** Every place of the needle, which is folded, in the order of the text. What stands within `without` plays no part. */
export function hitRanges(root: Node, needle: string, without: string): Range[] {
  const { text, pieces } = collected(root, without);
  const { text: folded, places } = fold(text);
  return matches(folded, needle).map((at) => rangeOf(pieces, ...original(text, places, at, needle.length)));
}

/** Scrolls the areas around a range, from the innermost on, until it can be seen. */
export function revealRange(range: Range, scrollers: string): void {
  const start = range.startContainer;
  let area = (start instanceof Element ? start : start.parentElement)?.closest(scrollers);
  for (; area; area = area.parentElement?.closest(scrollers)) {
    const [here, around] = [range.getBoundingClientRect(), area.getBoundingClientRect()];
    if (here.top < around.top || here.bottom > around.bottom) {
      area.scrollTop += here.top - around.top - around.height / 3;
    }
    if (here.left < around.left || here.right > around.right) {
      area.scrollLeft += here.left - around.left - around.width / 3;
    }
  }
}

/** Marks hits; those before are marked no more. */
export function markHits(ranges: readonly Range[], current: readonly Range[]): void {
  CSS.highlights.set(HITS, new Highlight(...ranges));
  const shown = new Highlight(...current);
  shown.priority = 1;
  CSS.highlights.set(CURRENT, shown);
}

function collected(root: Node, without: string): { text: string; pieces: Piece[] } {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const pieces: Piece[] = [];
  let text = "";
  let block: Element | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof HTMLBRElement) text += "\n";
    if (!(node instanceof Text)) continue;
    const parent = node.parentElement;
    if (without !== "" && parent?.closest(without)) continue;
    const own = parent?.closest(BLOCKS) ?? null;
    if (own !== block) text += BOUNDARY;
    block = own;
    pieces.push({ node, start: text.length });
    text += node.data;
  }
  return { text, pieces };
}

function rangeOf(pieces: readonly Piece[], start: number, end: number): Range {
  const range = document.createRange();
  const first = pieceAt(pieces, start);
  const last = pieceAt(pieces, end - 1);
  if (first) range.setStart(first.node, start - first.start);
  if (last) range.setEnd(last.node, end - last.start);
  return range;
}

/** The piece that holds a character. */
function pieceAt(pieces: readonly Piece[], at: number): Piece | undefined {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle]?.start ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return pieces[low];
}
