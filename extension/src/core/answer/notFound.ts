/** What an answer says of itself, in the language of the question; the daemon's words (`answer/wording.py`). */

export type AnswerLanguage = "en" | "ja" | "zh";

export const NOT_FOUND: Record<AnswerLanguage, string> = {
  en: "The documents that were searched do not answer this question.",
  ja: "検索した文書には、この質問への答えが見つかりませんでした。",
  zh: "在检索的文档中没有找到这个问题的答案。",
};

const NAMES: Record<string, string> = { en: "English", ja: "Japanese", zh: "Chinese", ko: "Korean" };

/** The language for our own words: what the daemon detected, where we have words for it; else by the script of the question. */
export function languageOf(question: string, detected?: unknown): AnswerLanguage {
  if (detected === "en" || detected === "ja" || detected === "zh") return detected;
  if (/[\u3041-\u30ff]/.test(question)) return "ja";
  return /[\u3400-\u9fff]/.test(question) ? "zh" : "en";
}

/** The name of the language that an answer is to be written in, in English. */
export function languageName(question: string, detected?: unknown): string {
  const known = typeof detected === "string" ? NAMES[detected] : undefined;
  return known ?? NAMES[languageOf(question, detected)] ?? "English";
}

/** Whether an answer is the sentence for "not found", in any language, and no more. */
export function saysNotFound(answer: string): boolean {
  const plain = (text: string) => text.split(/\s+/).join(" ").trim().replace(/[.。]+$/, "");
  return Object.values(NOT_FOUND).some((sentence) => plain(sentence) === plain(answer));
}
