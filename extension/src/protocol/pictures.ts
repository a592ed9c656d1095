/** The pictures of passages, of which those that show the same are one. */

import * as l10n from "@vscode/l10n";

import type { Citation, Image } from "../core/api/types";

export interface ShownPicture {
  /** The first that shows it. */
  citation: Citation;
  image: Image;
  /** Other files that show the same: saved again, or in another size. */
  more: number;
}

/** In the order of the citations. The daemon says which picture is the same as another. */
export function picturesOf(citations: readonly Citation[]): ShownPicture[] {
  const found = new Map<string, { citation: Citation; image: Image; ids: Set<string> }>();
  for (const citation of citations) {
    for (const image of citation.images) {
      const shown = found.get(image.same_as ?? image.asset_id);
      if (shown === undefined) {
        found.set(image.same_as ?? image.asset_id, { citation, image, ids: new Set([image.asset_id]) });
      } else shown.ids.add(image.asset_id);
    }
  }
  return [...found.values()].map(({ citation, image, ids }) => ({ citation, image, more: ids.size - 1 }));
}

/** What stands behind a picture that others show, too; empty where none does. */
export function moreLikeIt(count: number): string {
  return count === 0 ? "" : l10n.t("and {0} more like it", count);
}
