/** Cuts texts to a token budget. */

export interface Fitted {
  text: string;
  tokens: number;
  isWhole: boolean;
}

const ATTEMPTS = 4;

/**
 * The text, or its beginning up to a line's end, so that what `wrap` makes of it takes at most `room` tokens; undefined when not
 * even a part fits. Each attempt is counted once.
 */
export async function fitText(
  text: string,
  room: number,
  wrap: (part: string) => string,
  count: (text: string) => Promise<number>,
): Promise<Fitted | undefined> {
  let part = text;
  for (let attempts = 0; attempts < ATTEMPTS && part !== ""; attempts += 1) {
    const tokens = await count(wrap(part));
    if (tokens <= room) return { text: part, tokens, isWhole: part.length === text.length };
    // A little less than the share that fits, as tokens are not spread evenly.
    part = upToLineEnd(part, Math.floor((part.length * room * 0.9) / tokens));
  }
  return undefined;
}

export function upToLineEnd(text: string, length: number): string {
  return text.slice(0, text.lastIndexOf("\n", length) + 1);
}
