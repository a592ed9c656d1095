/**
 * Drawing in slices. What streams shares a few milliseconds of each frame; what has come whole, such as a chat that is opened
 * again, is drawn in longer turns that follow each other at once, so that the page still answers between two of them.
 */

const FRAME_MS = 8;
const TURN_MS = 24;

export interface Drawable {
  /** Nothing more comes: it is only to be drawn. */
  readonly isWhole?: boolean;
  /** Draw until this time (of `performance.now()`); whether nothing is left. */
  draw(until: number): boolean;
}

const waiting = new Set<Drawable>();
let scheduled = false;

export function requestDraw(item: Drawable): void {
  waiting.add(item);
  schedule();
}

function schedule(): void {
  if (scheduled || waiting.size === 0) return;
  scheduled = true;
  if (areWhole()) setTimeout(() => drawTurn(TURN_MS));
  else requestAnimationFrame(() => drawTurn(FRAME_MS));
}

function areWhole(): boolean {
  for (const item of waiting) if (item.isWhole !== true) return false;
  return true;
}

function drawTurn(length: number): void {
  scheduled = false;
  // Something may have begun to stream since the turn was given.
  const until = performance.now() + (areWhole() ? length : FRAME_MS);
  try {
    for (const item of [...waiting]) {
      // Taken out first: one that throws must not hold up the others.
      waiting.delete(item);
      if (!item.draw(until)) waiting.add(item);
      if (performance.now() >= until) break;
    }
  } finally {
    schedule();
  }
}
