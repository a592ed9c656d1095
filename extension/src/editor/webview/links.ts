/** Links out of documents: nothing but the web and mail is opened, and the editor asks first as for any link. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { RagError } from "../../core/common/errors";

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** Throws `RagError` (INVALID_ARGUMENT) for any other kind of link. */
export async function openLink(href: string): Promise<void> {
  if (!URL.canParse(href) || !ALLOWED.has(new URL(href).protocol)) {
    throw new RagError("INVALID_ARGUMENT", l10n.t("Only links to web pages and mail addresses are opened."));
  }
  await openAddress(href);
}

/** Opens the address as it is written. A `Uri` would encode its query and fragment in its own way: anchors lead nowhere then. */
export async function openAddress(href: string): Promise<boolean> {
  // The editor takes a text, too, and keeps it when parsing it changes nothing but the encoding; only its types do not say so.
  return vscode.env.openExternal(href as unknown as vscode.Uri);
}
