/** What goes into a chat answer: text of ours and of others, and links to the places of passages. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Citation, LiveCounts, QueryAnswer } from "../../core/api/types";
import { escapeMarkdown } from "../../core/common/safeMarkdown";
import { citationArgument } from "../../core/places/citationLink";
import { emptyScope, emptyScopeText } from "../../protocol/emptyScope";
import { leftOut } from "../../protocol/leftOut";
import { asOfText, citationLabel } from "../../protocol/places";
import type { AskOptions } from "../../protocol/session";
import type { Places } from "../places/places";

const OPEN_CITATION = "ragAssistant.openCitation";

export class ChatResponse {
  constructor(
    readonly stream: vscode.ChatResponseStream,
    private readonly places: Places,
  ) {}

  progress(text: string): void {
    this.stream.progress(text);
  }

  /**
   * Markdown of ours, or of others once it is made harmless. All of it has the same trust, as the editor joins only such parts
   * to one text; the one command that it allows opens a place in a document and takes nobody's word for what it is given.
   */
  markdown(text: string): void {
    const value = new vscode.MarkdownString(text);
    value.isTrusted = { enabledCommands: [OPEN_CITATION] };
    this.stream.markdown(value);
  }

  /** A notice of ours or the daemon's: plain text, set apart. */
  notice(text: string): void {
    this.markdown(`\n\n> ${escapeMarkdown(text)}\n\n`);
  }

  /** That passages of cloud sources were left out, with what helps. */
  leftOut(live: LiveCounts | null | undefined): void {
    const left = leftOut(live);
    if (left === undefined) return;
    this.notice(left.text);
    if (left.needsToken) this.button(l10n.t("Set Source Token…"), "ragAssistant.setSourceToken");
  }

  /** That there is no document at all. */
  nothingAdded(): void {
    this.markdown(l10n.t("No documents have been added yet."));
    this.addButton();
  }

  /** That nothing is indexed of what was asked about, if so. */
  emptyScope(options: AskOptions, retrieval: QueryAnswer): void {
    const scope = emptyScope(options, retrieval);
    if (scope.length === 0) return;
    this.notice(emptyScopeText(scope));
    this.addButton();
  }

  button(title: string, command: string): void {
    this.stream.button({ title, command });
  }

  /** Whether the editor shows the mark of a citation as the name of its file and its lines. */
  namesItself(citation: Citation): boolean {
    return this.places.location(citation) instanceof vscode.Location;
  }

  /** The mark of a citation: a link to its place. */
  mark(citation: Citation): void {
    this.anchor(citation, String(citation.id), `\\[${citation.id}\\]`);
  }

  /** The document and the place in it, as a link to it. */
  place(citation: Citation): void {
    const label = [citationLabel(citation), asOfText(citation, vscode.env.language)]
      .filter((part) => part !== "")
      .join(" · ");
    this.anchor(citation, label, escapeMarkdown(label));
  }

  /** In the list of what was used. */
  reference(citation: Citation): void {
    const location = this.places.location(citation);
    if (location !== undefined) this.stream.reference(location);
  }

  /** A link to the place of a citation that looks as `label`, which is Markdown. */
  link(citation: Citation, label: string): string {
    return command(citationArgument(citation), label);
  }

  /** The same for a document as a whole. */
  documentLink(id: string, label: string): string {
    return command({ doc_id: id }, label);
  }

  private addButton(): void {
    this.button(l10n.t("Add files or folders"), "ragAssistant.addToKnowledgeBase");
  }

  private anchor(citation: Citation, title: string, label: string): void {
    const location = this.places.location(citation);
    if (location === undefined) this.markdown(this.link(citation, label));
    else this.stream.anchor(location, title);
  }
}

function command(argument: object, label: string): string {
  const encoded = encodeURIComponent(JSON.stringify([argument])).replace(/[()'!*]/g, percent);
  return `[${label}](command:${OPEN_CITATION}?${encoded})`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
