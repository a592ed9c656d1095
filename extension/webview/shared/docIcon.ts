/** The icon of a kind of document, by the codicon that the table of formats names. */

import { FORMATS, type DocType } from "../../src/core/api/formats.gen";
import { icon, type IconName } from "./icons";

const GLYPHS: Record<(typeof FORMATS)[DocType]["icon"], IconName> = {
  book: "book",
  file: "file",
  "file-code": "code",
  "file-media": "image",
  "file-pdf": "pdf",
  globe: "globe",
  issues: "issue",
  mail: "mail",
  markdown: "markdown",
  notebook: "notebook",
  preview: "slides",
  table: "table",
};

/** With the kind's name for the pointer; what it stands beside says the name of the file. */
export function docIcon(type: DocType): HTMLElement {
  const { icon: codicon, label } = FORMATS[type];
  const place = document.createElement("span");
  place.className = "doc-icon";
  place.title = label();
  place.append(icon(GLYPHS[codicon]));
  return place;
}
