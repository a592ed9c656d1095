/** Opening what a document was read from. */

import * as vscode from "vscode";

import { FORMATS } from "../../core/api/formats.gen";
import type { DocumentDetail } from "../../core/api/types";
import { isFileUri, isWebAddress } from "../../core/places/placeTarget";
import { openLink } from "../webview/links";

/** The file in the editor or in the program for it; a web page in the browser. */
export async function openOriginal(document: Pick<DocumentDetail, "doc_type" | "source_uri">): Promise<void> {
  if (isWebAddress(document.source_uri)) {
    await openLink(document.source_uri);
    return;
  }
  if (!isFileUri(document.source_uri)) return;
  const uri = vscode.Uri.parse(document.source_uri, true);
  // Another program can be asked only where the editor and the file are on the same machine.
  const isDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (FORMATS[document.doc_type].needsProgram && isDesktop) await vscode.env.openExternal(uri);
  else await vscode.commands.executeCommand("vscode.open", uri);
}
