/** Paths as people write them behind a command. */

/** `"my notes/a.md" docs ~/b.pdf` → its parts; what is in quotes stays together. */
export function splitPaths(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"|'([^']+)'|`([^`]+)`|(\S+)/g)].map(
    ([, ...kinds]) => kinds.find((one) => one) ?? "",
  );
}
