/** What the chosen documents are about, and questions to begin with: in a chat before its first question. */

import * as l10n from "@vscode/l10n";

import type { Guide } from "../../../src/protocol/chat";
import { h } from "../../shared/dom";

export function guideView(guide: Guide, ask: (text: string) => void): HTMLElement[] {
  const { title, summary, byModel, topics, outline, questions } = guide;
  const by = byModel ? l10n.t("Summary by the language model") : l10n.t("Summary, in the document's own words");
  return [
    h(
      "section",
      { class: "guide", "data-testid": "guide", "aria-label": l10n.t("Guide") },
      title !== "" && h("h3", {}, title),
      summary !== "" && h("p", { class: "guide-summary", title: by }, summary),
      topics.length > 0 &&
        h(
          "ul",
          { class: "guide-topics", "aria-label": l10n.t("Topics") },
          ...topics.map((topic) => h("li", {}, topic)),
        ),
      outline.length > 1 &&
        h(
          "details",
          { class: "guide-outline" },
          h("summary", {}, l10n.t("Outline")),
          h(
            "ol",
            {},
            ...outline.map(({ title: heading, level }) => h("li", { class: `level-${Math.min(level, 4)}` }, heading)),
          ),
        ),
      ...questionButtons(questions, ask),
    ),
  ];
}

/** Questions that are asked by a click. */
export function questionButtons(questions: readonly string[], ask: (text: string) => void): HTMLElement[] {
  if (questions.length === 0) return [];
  return [
    h(
      "div",
      { class: "suggested", role: "group", "data-testid": "suggested", "aria-label": l10n.t("Suggested questions") },
      ...questions.map((text) => h("button", { type: "button", class: "suggestion", onclick: () => ask(text) }, text)),
    ),
  ];
}
