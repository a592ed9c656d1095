/** The daemon's rules for names of collections, so that a wrong one is told while it is typed. */

import * as l10n from "@vscode/l10n";

const LONGEST = 255;
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f/\\\ud800-\udfff]/u;

/** Undefined for a good name. `taken` are the names in use. */
export function collectionNameProblem(name: string, taken: readonly string[]): string | undefined {
  const normal = normalName(name);
  if (normal === "") return l10n.t("Enter a name.");
  if (Array.from(normal).length > LONGEST) return l10n.t("A name has at most {0} characters.", LONGEST);
  if (FORBIDDEN.test(normal)) return l10n.t("A name has no slash, backslash or control character.");
  return taken.includes(normal) ? l10n.t("There is already a collection of this name.") : undefined;
}

export function normalName(name: string): string {
  return name.normalize("NFC").trim();
}
