/** Asking for the name of a collection. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { collectionNameProblem, normalName } from "../../core/collections/collectionName";

/** Undefined when it was called off. */
export async function askCollectionName(
  title: string,
  value: string,
  taken: readonly string[],
): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title,
    value,
    prompt: l10n.t("Name of the collection"),
    ignoreFocusOut: true,
    // An empty field is not scolded before anything was typed.
    validateInput: (typed) => (typed === "" ? undefined : collectionNameProblem(typed, taken)),
  });
  return name === undefined || name.trim() === "" ? undefined : normalName(name);
}
