/** Stages of a search and modes in words, the same in the editor and in its webviews. */

import * as l10n from "@vscode/l10n";

export function strategyLabel(strategy: string): string {
  switch (strategy) {
    case "hybrid":
      return l10n.t("Meaning and words");
    case "dense_only":
      return l10n.t("Meaning only");
    case "sparse_only":
      return l10n.t("Words only");
    default:
      return strategy;
  }
}

export function stageLabel(stage: string): string {
  const labels: Record<string, string> = {
    query_norm: l10n.t("Question read"),
    retrieve_dense: l10n.t("Meaning"),
    dense: l10n.t("Meaning"),
    retrieve_sparse: l10n.t("Words"),
    sparse: l10n.t("Words"),
    feedback: l10n.t("Likeness"),
    fusion: l10n.t("Merged"),
    rerank: l10n.t("Reranked"),
    prefer: l10n.t("Preferred"),
    diversity: l10n.t("Varied"),
    context_build: l10n.t("Put together"),
    format_response: l10n.t("Handed over"),
  };
  return labels[stage] ?? stage.replaceAll("_", " ");
}
