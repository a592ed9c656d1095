/** What rows of trees say. */

export interface RowText {
  label: string;
  description: string;
  /** Lines of the tooltip, as plain text. */
  tooltip: string[];
}

export function day(at: string | null, language: string): string {
  return at === null ? "" : new Date(at).toLocaleDateString(language, { dateStyle: "medium" });
}
