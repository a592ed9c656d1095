/** The beginning of a passage as running text. */

export function excerpt(content: string, longest: number): string {
  const text = content
    .replace(/^[ \t]*(?:#{1,6}|[-*+>]|\|[-:| ]+\|$)[ \t]*/gm, "")
    .replace(/\*\*|`|\|/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return text.length <= longest ? text : `${text.slice(0, longest).trimEnd()}…`;
}
