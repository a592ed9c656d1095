/**
 * The kinds of documents, written by `npm run api` from the server's table of formats.
 * Change `server/ragd/formats/registry.py` and run it again; do not change this file.
 */

import * as l10n from "@vscode/l10n";

export interface Format {
  label: () => string;
  /** A codicon. */
  icon: string;
  /** What a document is made of; text flows. */
  shape: "text" | "pages" | "table" | "slides" | "code" | "picture" | "cells";
  /** The editor itself shows its files as no more than bytes. */
  needsProgram: boolean;
  /** The document's text is its file, word for word. */
  isOwnText: boolean;
}

export const FORMATS = {
  pdf: { label: () => l10n.t("PDF"), icon: "file-pdf", shape: "pages", needsProgram: true, isOwnText: false },
  docx: { label: () => l10n.t("Word"), icon: "file", shape: "text", needsProgram: true, isOwnText: false },
  xlsx: { label: () => l10n.t("Excel"), icon: "table", shape: "table", needsProgram: true, isOwnText: false },
  pptx: { label: () => l10n.t("PowerPoint"), icon: "preview", shape: "slides", needsProgram: true, isOwnText: false },
  markdown: { label: () => l10n.t("Markdown"), icon: "markdown", shape: "text", needsProgram: false, isOwnText: true },
  html: { label: () => l10n.t("Web page"), icon: "globe", shape: "text", needsProgram: false, isOwnText: false },
  text: { label: () => l10n.t("Text"), icon: "file", shape: "text", needsProgram: false, isOwnText: true },
  code: { label: () => l10n.t("Code"), icon: "file-code", shape: "code", needsProgram: false, isOwnText: true },
  image: { label: () => l10n.t("Picture"), icon: "file-media", shape: "picture", needsProgram: false, isOwnText: false },
  csv: { label: () => l10n.t("CSV"), icon: "table", shape: "table", needsProgram: false, isOwnText: false },
  notebook: { label: () => l10n.t("Notebook"), icon: "notebook", shape: "cells", needsProgram: false, isOwnText: false },
  email: { label: () => l10n.t("E-mail"), icon: "mail", shape: "text", needsProgram: true, isOwnText: false },
  odt: { label: () => l10n.t("OpenDocument"), icon: "file", shape: "text", needsProgram: true, isOwnText: false },
  rtf: { label: () => l10n.t("Rich text"), icon: "file", shape: "text", needsProgram: true, isOwnText: false },
  epub: { label: () => l10n.t("Book"), icon: "book", shape: "text", needsProgram: true, isOwnText: false },
  diagram: { label: () => l10n.t("Diagram"), icon: "file-media", shape: "text", needsProgram: true, isOwnText: false },
  confluence: { label: () => l10n.t("Confluence"), icon: "book", shape: "text", needsProgram: false, isOwnText: false },
  jira: { label: () => l10n.t("Jira"), icon: "issues", shape: "text", needsProgram: false, isOwnText: false },
} as const satisfies Record<string, Format>;

export type DocType = keyof typeof FORMATS;
