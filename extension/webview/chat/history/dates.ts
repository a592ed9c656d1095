/** Dates as a list of sessions shows them. */

import * as l10n from "@vscode/l10n";

const DAY = 86_400_000;

/** The heading under which a session stands. */
export function dateGroup(iso: string, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(new Date(iso))) / DAY);
  if (days <= 0) return l10n.t("Today");
  if (days === 1) return l10n.t("Yesterday");
  if (days < 7) return l10n.t("Last 7 days");
  if (days < 30) return l10n.t("Last 30 days");
  return l10n.t("Older");
}

/** The time today, else the day. */
export function timeText(iso: string, language: string, now = new Date()): string {
  const date = new Date(iso);
  const today = startOfDay(date) === startOfDay(now);
  return new Intl.DateTimeFormat(language, today ? { timeStyle: "short" } : { dateStyle: "medium" }).format(date);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
