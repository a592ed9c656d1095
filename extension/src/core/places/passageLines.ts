/** Finding a passage's lines in a file that may have changed since it was read. */

/** Lines count from 1; the range holds its ends. */
export type Lines = [number, number];

/**
 * The lines of `passage` in `text`: those that are named if its longest line stands there, else those nearest to them where
 * it stands now. `moved` tells the two apart; `lost` is a passage that is not found, whose lines stay as named.
 */
export function findPassage(
  text: string,
  named: Lines,
  passage: string,
): { lines: Lines; state: "there" | "moved" | "lost" } {
  const lines = text.split(/\r\n|\n|\r/);
  const inside: Lines = [Math.min(named[0], lines.length), Math.min(named[1], lines.length)];
  const wanted = passage.split(/\r\n|\n|\r/).map((line) => line.trim());
  const telling = wanted.reduce((best, line) => (line.length > best.length ? line : best), "");
  if (telling === "") return { lines: inside, state: "there" };
  const holds = lines.flatMap((line, index) => (line.includes(telling) ? [index + 1] : []));
  const nearest = closest(holds, named[0] + wanted.indexOf(telling));
  if (nearest === undefined) return { lines: inside, state: "lost" };
  if (nearest >= named[0] && nearest <= named[1]) return { lines: inside, state: "there" };
  const first = Math.max(1, nearest - wanted.indexOf(telling));
  return { lines: [first, Math.min(first + named[1] - named[0], lines.length)], state: "moved" };
}

function closest(numbers: number[], to: number): number | undefined {
  let best: number | undefined;
  for (const one of numbers) if (best === undefined || Math.abs(one - to) < Math.abs(best - to)) best = one;
  return best;
}

/** Where sentences stand in a text, as `[start, end)`, however their lines are broken; those that are not there are left out. */
export function findSentences(text: string, sentences: readonly string[]): [number, number][] {
  return sentences.flatMap((sentence): [number, number][] => {
    const words = sentence
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const found = sentence.trim() === "" ? null : new RegExp(words.join("\\s+")).exec(text);
    return found ? [[found.index, found.index + found[0].length]] : [];
  });
}
