/** Any number of short documents in English and Japanese, made of the sentences of data/samples and docs; the same each time. */

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT, SAMPLES } from "../harness/paths.ts";

const SENTENCE_END = /(?<=[.!?])\s+|(?<=。)\s*|\n(?=[-*|#0-9])|\n\s*\n/;
const MARKUP = /^[\s#>*|-]+|^\d+\.\s+|`/g;
const JAPANESE = /[\u3040-\u30ff\u4e00-\u9fff]/;
const SECTIONS = 3;
const SENTENCES_A_SECTION = 5;

/** Writes them as Markdown, half of them in Japanese, a hundred to a folder. */
export function writeDocuments(folder: string, count: number): void {
  const sentences = readSentences();
  const pools = [sentences.filter((text) => !JAPANESE.test(text)), sentences.filter((text) => JAPANESE.test(text))];
  let state = 7;
  const random = (most: number): number => (state = (state * 48271) % 2147483647) % most;
  for (let number = 0; number < count; number += 1) {
    const pool = pools[number % 2] ?? [];
    const pick = (): string => pool[random(pool.length)] ?? "";
    const separator = number % 2 === 0 ? " " : "";
    const sections = Array.from({ length: SECTIONS }, () => {
      const text = Array.from({ length: SENTENCES_A_SECTION }, pick);
      return `## ${text[0]?.slice(0, 30).trim()}\n\n${text.join(separator)}\n`;
    });
    const place = join(folder, `part-${Math.floor(number / 100)}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `document-${number}.md`), `# Document ${number}\n\n${sections.join("\n")}`);
  }
}

function readSentences(): string[] {
  const files = [SAMPLES, join(ROOT, "docs")].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => join(folder, name)),
  );
  const parts = files.flatMap((file) => readFileSync(file, "utf8").split(SENTENCE_END));
  const texts = parts.map((part) => part.replaceAll(MARKUP, "").replaceAll(/\s+/g, " ").trim());
  return [...new Set(texts)].filter((text) => text.length <= 400 && text.length >= (JAPANESE.test(text) ? 12 : 25));
}
