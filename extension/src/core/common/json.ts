/** JSON that somebody else may have written, or that was cut short. */

/** The fields of an object; undefined for anything else, and for what is no JSON. */
export function parseRecord(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
