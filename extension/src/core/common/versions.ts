/** Versions of Python packages, as far as ours go: `1.2.3`, with `a1`, `b2`, `rc3` or `.dev4` before the release. */

const VERSION = /^(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.post(\d+))?(?:\.dev(\d+))?(?:\+[\w.]+)?$/;
const STAGES = ["a", "b", "rc"];

/** Below 0 when `first` is older, above 0 when it is newer. A version that can't be read is older than any that can. */
export function compareVersions(first: string, second: string): number {
  const one = sortKey(first);
  const other = sortKey(second);
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function sortKey(version: string): number[] {
  const match = VERSION.exec(version.trim());
  if (match === null) return [-1];
  const [, numbers = "", stage, stageNumber, post, dev] = match;
  const release = numbers.split(".").map(Number);
  // Four numbers at least, so that 1.2 equals 1.2.0 and what follows stands in the same place.
  while (release.length < 4) release.push(0);
  let phase = stage === undefined ? STAGES.length : STAGES.indexOf(stage);
  if (stage === undefined && dev !== undefined && post === undefined) phase = -1;
  return [
    ...release,
    phase,
    Number(stageNumber ?? 0),
    post === undefined ? 0 : Number(post) + 1,
    dev === undefined ? Number.MAX_SAFE_INTEGER : Number(dev),
  ];
}
