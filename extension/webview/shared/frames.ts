/** Drawing in slices: all that waits shares a few milliseconds of each frame. */

const FRAME_MS = 8;

export interface Drawable {
  /** Draw until this time (of `performance.now()`); whether nothing is left. */
  draw(until: number): boolean;
}

const waiting = new Set<Drawable>();
let frame = 0;

export function requestDraw(item: Drawable): void {
  waiting.add(item);
  if (frame === 0) frame = requestAnimationFrame(drawFrame);
}

function drawFrame(): void {
  frame = 0;
  const until = performance.now() + FRAME_MS;
  try {
    for (const item of [...waiting]) {
      // Taken out first: one that throws must not hold up the others.
      waiting.delete(item);
      if (!item.draw(until)) waiting.add(item);
      if (performance.now() >= until) break;
    }
  } finally {
    if (waiting.size > 0 && frame === 0) frame = requestAnimationFrame(drawFrame);
  }
}
