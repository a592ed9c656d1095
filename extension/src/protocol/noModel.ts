/** What an answer says that no language model wrote, in the panel and in `@rag`. */

import * as l10n from "@vscode/l10n";

export function noModelText(): string {
  return l10n.t(
    "No language model is set up, so this answer quotes the passages that fit best. With a model, answers are written out.",
  );
}
