/** Opening places in documents, as features that run without the editor see it. */

import type { Citation } from "../api/types";

export interface PlaceOpener {
  /** Open the exact place of a citation. Failures are shown to the user. */
  open(citation: Citation): Promise<void>;
  /** A picture of a document in a tab. */
  openImage(assetId: string, title: string): Promise<void>;
}
