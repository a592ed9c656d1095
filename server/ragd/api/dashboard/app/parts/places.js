/** Where a passage stands, in words: of a result of a question, or a place as datasets of questions write it. */

import { number, t } from "../lib/text.js";

/**
 * @param {{ page?: number | null, slide?: number | null, sheet?: string | null, cell_range?: string | null, cells?: string, section?: string, line_range?: readonly number[] | null, lines?: readonly number[] }} place
 */
export function placeText(place) {
  const lines = place.lines ?? place.line_range;
  const cells = place.cells ?? place.cell_range;
  return [
    place.page && t("page {0}", number(place.page)),
    place.slide && t("slide {0}", number(place.slide)),
    place.sheet && t("sheet {0}", [place.sheet, cells].filter(Boolean).join(" ")),
    place.section,
    lines &&
      (lines[0] === lines[1] ? t("line {0}", lines[0] ?? "") : t("lines {0}–{1}", lines[0] ?? "", lines[1] ?? "")),
  ]
    .filter(Boolean)
    .join(", ");
}
