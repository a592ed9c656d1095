/** The rows of the trees. Commands get them from menus, so they are classes: anything else is told apart. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Collection, Document, Source } from "../core/api";
import { asRagError } from "../core/errors";
import { collectionText, documentText, sourceMood, sourceText, type RowText, type SourceMood } from "../core/treeRows";

export class CollectionRow {
  constructor(readonly collection: Collection) {}

  item(): vscode.TreeItem {
    const { id, status, document_count } = this.collection;
    const collapsed = vscode.TreeItemCollapsibleState.Collapsed;
    const item = drawn(
      collectionText(this.collection),
      document_count === 0 ? vscode.TreeItemCollapsibleState.None : collapsed,
    );
    item.id = `collection:${id}`;
    item.contextValue = `collection.${status}`;
    item.iconPath = new vscode.ThemeIcon(status === "disabled" ? "circle-slash" : "database");
    return item;
  }
}

export class DocumentRow {
  constructor(
    readonly document: Document,
    readonly parent: CollectionRow,
  ) {}

  item(): vscode.TreeItem {
    const item = drawn(documentText(this.document, vscode.env.language));
    item.id = `document:${this.document.id}`;
    item.contextValue = `document.${this.document.status}`;
    item.iconPath = documentIcon(this.document);
    item.command = { command: "ragAssistant.openDocument", title: l10n.t("Open"), arguments: [this] };
    return item;
  }
}

/** Choosing it shows the next documents. */
export class MoreRow {
  constructor(
    readonly parent: CollectionRow,
    readonly left: number,
  ) {}

  item(): vscode.TreeItem {
    const item = new vscode.TreeItem(l10n.t("Load more…"));
    item.id = `more:${this.parent.collection.id}`;
    item.description = l10n.t("{0} more", this.left);
    item.iconPath = new vscode.ThemeIcon("ellipsis");
    return item;
  }
}

export class SourceRow {
  constructor(readonly source: Source) {}

  item(): vscode.TreeItem {
    const item = drawn(sourceText(this.source, vscode.env.language));
    item.id = `source:${this.source.id}`;
    item.contextValue = this.source.enabled ? "source.enabled" : "source.disabled";
    item.iconPath = sourceIcon(this.source);
    return item;
  }
}

/** A list that could not be had says why in its place: an empty one would look as if there were nothing. */
export class FailureRow {
  constructor(private readonly error: unknown) {}

  item(): vscode.TreeItem {
    const { message, advice } = asRagError(this.error);
    const item = drawn({ label: message, description: advice, tooltip: [message, advice] });
    item.iconPath = FAILED;
    return item;
  }
}

const FAILED = new vscode.ThemeIcon("error", new vscode.ThemeColor("problemsErrorIcon.foreground"));

const TYPE_ICONS: Record<Document["doc_type"], string> = {
  pdf: "file-pdf",
  docx: "file",
  xlsx: "table",
  pptx: "preview",
  markdown: "markdown",
  html: "globe",
  text: "file",
  code: "file-code",
  image: "file-media",
  csv: "table",
  notebook: "notebook",
  email: "mail",
  confluence: "book",
  jira: "issues",
};

function documentIcon({ status, doc_type }: Document): vscode.ThemeIcon {
  if (status === "failed") return FAILED;
  return new vscode.ThemeIcon(status === "processing" ? "sync~spin" : TYPE_ICONS[doc_type]);
}

const SOURCE_ICONS: Record<string, string> = { folder: "folder", confluence: "book", jira: "issues" };
const MOOD_ICONS: Partial<Record<SourceMood, string>> = { paused: "debug-pause", syncing: "sync~spin" };

function sourceIcon(source: Source): vscode.ThemeIcon {
  const mood = sourceMood(source);
  if (mood === "failed") return FAILED;
  return new vscode.ThemeIcon(MOOD_ICONS[mood] ?? SOURCE_ICONS[source.type] ?? "cloud");
}

function drawn(
  { label, description, tooltip }: RowText,
  state = vscode.TreeItemCollapsibleState.None,
): vscode.TreeItem {
  const item = new vscode.TreeItem(label, state);
  item.description = description;
  const text = new vscode.MarkdownString();
  // Titles and errors come from documents: they are put in as text, not as Markdown.
  for (const line of tooltip) text.appendText(line).appendMarkdown("\n\n");
  item.tooltip = text;
  return item;
}
