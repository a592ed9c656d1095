/** How places in documents are named, the same in the editor and in its webviews. */

import * as l10n from "@vscode/l10n";

import type { Citation } from "../core/api/types";

export type Place = Pick<
  Citation,
  "page" | "slide" | "sheet" | "cell_range" | "line_range" | "bbox" | "section_path" | "anchor"
>;

/** Where in its document a passage stands: "page 3", "Sheet1!B2:D9", "lines 10–20", or its heading; may be empty. */
export function placeLabel(place: Place): string {
  if (place.page) return l10n.t("page {0}", place.page);
  if (place.slide) return l10n.t("slide {0}", place.slide);
  if (place.sheet) return place.cell_range ? `${place.sheet}!${place.cell_range}` : place.sheet;
  if (place.line_range) {
    const [first, last] = place.line_range;
    return first === last ? l10n.t("line {0}", first) : l10n.t("lines {0}–{1}", first, last);
  }
  return place.section_path.at(-1) ?? "";
}

/** The last part of a path: a file's name, or a page's title. */
export function shortName(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== "");
  return parts.at(-1) ?? path;
}

/** "spec-sheet.pdf, page 3": a citation in one line. */
export function citationLabel(citation: Place & Pick<Citation, "source">): string {
  const place = placeLabel(citation);
  const name = shortName(citation.source);
  return place === "" ? name : l10n.t("{0}, {1}", name, place);
}

/** "as of Mar 5, 2026": the day on which the text was read, where it is not known to be current; else empty. */
export function asOfText({ as_of }: Pick<Citation, "as_of">, language: string): string {
  if (!as_of) return "";
  // A day without a time is that day everywhere.
  const zone = /^\d{4}-\d{2}-\d{2}$/.test(as_of) ? { timeZone: "UTC" } : {};
  return l10n.t(
    "as of {0}",
    new Date(as_of).toLocaleDateString(language || undefined, { dateStyle: "medium", ...zone }),
  );
}
