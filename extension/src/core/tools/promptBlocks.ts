/**
 * What a tool shows a language model of documents, fenced as data.
 *
 * No text can end its own fence, open another, or bring marks that look like citations of ours.
 */

import { FORMATS } from "../api/formats.gen";
import type { Citation } from "../api/types";

const FENCE = /<(?=\s*\/?\s*(?:passage|document)\b)/gi;
const MARK = /[[【［](\s*[0-9０-９]{1,3}(?:\s*[,，、;–~-]\s*[0-9０-９]{1,3})*\s*)[\]】］]/g;
const CODE_FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm;

/** The place of a passage for a model, in English: `page 3`, `lines 10-24`, `section Setup > Ports`. */
function placeForModel(
  place: Pick<Citation, "page" | "slide" | "sheet" | "cell_range" | "line_range" | "section_path">,
): string {
  const parts: string[] = [];
  if (place.page) parts.push(`page ${place.page}`);
  if (place.slide) parts.push(`slide ${place.slide}`);
  if (place.sheet) parts.push(`sheet ${place.sheet}${place.cell_range ? ` ${place.cell_range}` : ""}`);
  if (place.section_path.length > 0) parts.push(`section ${place.section_path.join(" / ")}`);
  if (place.line_range) {
    const [first, last] = place.line_range;
    parts.push(first === last ? `line ${first}` : `lines ${first}-${last}`);
  }
  return parts.join(", ");
}

/** Characters of Mermaid beyond which a model is not shown a diagram. */
const LONGEST_DIAGRAM = 4_000;

/** A passage under its number. `more` are further attributes. */
export function passageBlock(citation: Citation, more: Record<string, string> = {}): string {
  const about = {
    title: citation.title,
    source: citation.source,
    place: placeForModel(citation),
    as_of: citation.as_of ?? "",
    ...more,
  };
  const attributes = Object.entries(about).filter(([, value]) => value !== "");
  const named = attributes.map(([name, value]) => ` ${name}="${attribute(value)}"`).join("");
  const pictures = citation.images
    .flatMap(({ asset_id: id, caption, text, description, described_by: by }) => [
      ...(text ? [`\n(In the picture ${caption ?? id}: ${text})`] : []),
      ...(description ? [`\n(Description of the picture ${caption ?? id}, by ${by ?? ""}: ${description})`] : []),
    ])
    .join("");
  const diagrams = (citation.mermaid ?? [])
    .filter((mermaid) => mermaid.length <= LONGEST_DIAGRAM)
    .map((mermaid) => `\n(What its diagram shows:\n\`\`\`mermaid\n${mermaid}\n\`\`\`)`)
    .join("");
  return `<passage id="${citation.id}"${named}>\n${asData(citation.content + pictures + diagrams, FORMATS[citation.doc_type].shape === "code")}\n</passage>`;
}

/** A part of a document. `about` are the tag's attributes. */
export function documentBlock(text: string, about: Record<string, string>): string {
  const named = Object.entries(about).map(([name, value]) => ` ${name}="${attribute(value)}"`);
  return `<document${named.join("")}>\n${asData(text, true)}\n</document>`;
}

/** Text of a document that can't be taken for fences or, outside of code, for citations of ours. */
function asData(text: string, isCode: boolean): string {
  const fenced = text.replace(FENCE, "‹");
  return isCode ? fenced : outsideCode(fenced, (prose) => prose.replace(MARK, "($1)"));
}

function attribute(value: string): string {
  const line = value.replace(/\s+/g, " ").trim().replaceAll('"', "'").replaceAll("<", "‹").replaceAll(">", "›");
  return line.replace(MARK, "($1)");
}

function outsideCode(text: string, change: (prose: string) => string): string {
  let result = "";
  let end = 0;
  let opened: { start: number; fence: string } | undefined;
  for (const match of text.matchAll(CODE_FENCE)) {
    const [line, fence = "", info = ""] = match;
    if (opened === undefined) {
      if (!info.includes("`")) opened = { start: match.index, fence };
    } else if (fence[0] === opened.fence[0] && fence.length >= opened.fence.length && info.trim() === "") {
      const stop = match.index + line.length;
      result += change(text.slice(end, opened.start)) + text.slice(opened.start, stop);
      end = stop;
      opened = undefined;
    }
  }
  const rest = opened ? opened.start : text.length;
  return result + change(text.slice(end, rest)) + text.slice(rest);
}
