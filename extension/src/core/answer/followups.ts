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
/** The number that says where a section stands, as the daemon's `language/headings.py` knows it. */
const DIGIT = "[0-9０-９]";
const NUMBER = new RegExp(
  `^(?:${[
    `(?:${DIGIT}{1,3}|[A-Z])(?:[.．]${DIGIT}{1,3}){1,6}[.．]?(?:\\s+|(?=\\P{ASCII}))`,
    `(?:${DIGIT}{1,3}[.．:：、)）]|[IVX]{1,5}[.)]|[A-Z]\\))\\s+`,
    `${DIGIT}{1,3}[.．:：、)）](?=[A-Z]|\\P{ASCII})`,
    `${DIGIT}{1,2}\\s+(?=[A-Z])`,
    `[(（]${DIGIT}{1,3}[)）]\\s*`,
    `第[0-9０-９一二三四五六七八九十百]{1,4}[章節节條条部编][\\s.、:：]*`,
    `(?:Chapter|Section|Part|Appendix|Step)\\s(?:${DIGIT}{1,3}|[A-Z]|[IVX]{1,5})(?:\\.${DIGIT}{1,3}){0,5}[.:]?\\s(?:[–—-]\\s)?`,
    `(?:付録|附录)\\s?[A-Z0-9]{1,2}[\\s.、:：]+`,
  ].join("|")})(?=\\S)`,
  "u",
);

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
    const subject = excerpt(withoutNumber(section), LONGEST_NAME);
    found.push(l10n.t("What does {0} say about {1}?", excerpt(title, LONGEST_NAME), subject));
  }
  return found;
}

/** A heading as a subject: "3.2 Installing" is about installing. */
export function withoutNumber(heading: string): string {
  return heading.replace(NUMBER, "");
}

function topic({ doc_id, section_path }: Citation): string {
  return `${doc_id} ${section_path.at(-1) ?? ""}`;
}
