/** Translations of a webview: the extension sends them, as a webview can't read files. */

import * as l10n from "@vscode/l10n";

export function useTranslations(text: Record<string, string>): void {
  l10n.config({ contents: text });
}
