/** Places in documents as the editor's features see them. */

import type * as vscode from "vscode";

import type { Citation } from "../../core/api/types";
import type { PlaceOpener } from "../../core/places/placeOpener";

export interface Places extends PlaceOpener {
  /** The place as a link for a chat answer; undefined where only the command can open it. */
  location(citation: Citation): vscode.Uri | vscode.Location | undefined;
}
