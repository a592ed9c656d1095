/** A selection of the editor as the beginning of a question. */

/** A fenced block with its place above it; the cursor comes to stand below. */
export function quoted(text: string, language: string, name: string, [first, last]: [number, number]): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  const lines = first === last ? `${first}` : `${first}-${last}`;
  return `> ${name}:${lines}\n\n${fence}${language === "plaintext" ? "" : language}\n${text.replace(/\n$/, "")}\n${fence}\n\n`;
}
