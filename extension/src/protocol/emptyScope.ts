/** That nothing is indexed of what a question was about, which is another matter than that nothing answers it. */

import * as l10n from "@vscode/l10n";

import type { QueryAnswer } from "../core/api/types";
import type { AskOptions, ScopeItem } from "./session";

type Found = Pick<QueryAnswer, "citations" | "found"> & { effective: Pick<QueryAnswer["effective"], "live"> };

/** What was asked about, where nothing of it is indexed: whatever is indexed is found by some passage, however far it is. */
export function emptyScope(
  { collection, filters, scope = [] }: AskOptions,
  { citations, effective, found }: Found,
): ScopeItem[] {
  const isSure = !found && citations.length === 0 && !effective.live;
  if (!isSure || Object.keys(filters ?? {}).length > 0) return [];
  // What is chosen may lie in several collections, and counts before one that is set.
  if (scope.length > 0 || !collection) return scope;
  return [{ kind: "collection", id: collection, label: collection }];
}

export function emptyScopeText(scope: readonly ScopeItem[]): string {
  return l10n.t("Nothing is indexed of what was asked about: {0}.", scope.map(({ label }) => label).join(l10n.t(", ")));
}
