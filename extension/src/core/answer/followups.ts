/** What to ask next, made from what was found by rules. */

import * as l10n from "@vscode/l10n";

import type { Citation, QueryAnswer } from "../api/types";
import { excerpt } from "../common/safeMarkdown";

export interface Followup {
  prompt: string;
  label: string;
  command?: "search" | "explain" | "sources";
}

const MOST_SECTIONS = 2;
const LONGEST_NAME = 60;

/** Sections that were found but not cited, then a look at how they were found. */
export function followups(
  question: string,
  retrieval: QueryAnswer,
  cited: readonly number[],
  found: boolean,
): Followup[] {
  if (!found) {
    return [
      { prompt: question, command: "search", label: l10n.t("Show the passages that come closest") },
      { prompt: "", command: "sources", label: l10n.t("Show which documents are there") },
    ];
  }
  const sections = nextQuestions(retrieval.citations, cited).map((prompt) => ({ prompt, label: prompt }));
  return [...sections, { prompt: question, command: "explain", label: l10n.t("Why these passages?") }];
}

/** About sections that were found and not cited: what stands beside the answer. */
export function nextQuestions(citations: readonly Citation[], cited: readonly number[]): string[] {
  const used = new Set(citations.filter(({ id }) => cited.includes(id)).map(topic));
  const found: string[] = [];
  for (const passage of citations) {
    const section = passage.section_path.at(-1);
    const title = passage.title || passage.source;
    // Names of functions are no subjects that people ask about.
    if (passage.doc_type === "code" || found.length === MOST_SECTIONS) continue;
    if (section === undefined || section === title || used.has(topic(passage))) continue;
    used.add(topic(passage));
    found.push(l10n.t("What does {0} say about {1}?", excerpt(title, LONGEST_NAME), excerpt(section, LONGEST_NAME)));
  }
  return found;
}

function topic({ doc_id, section_path }: Citation): string {
  return `${doc_id} ${section_path.at(-1) ?? ""}`;
}
