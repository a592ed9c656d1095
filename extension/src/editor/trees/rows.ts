/** The rows of the trees. Commands get them from menus, so they are classes: anything else is told apart. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Collection, Document, Job, LedgerCycle, SkippedItem, Source } from "../../core/api/types";
import { asRagError } from "../../core/common/errors";
import { SET_TOKEN, cloudMood, cycleText, heldText, isCloud, skippedText, type CloudMood } from "../../core/sources/cloudStatus";
import { collectionText, documentText, sourceMood, sourceText, type RowText, type SourceMood } from "../../core/collections/rows";

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
  /** Its reading, as it stands this moment. */
  job: Job | undefined;

  constructor(
    readonly source: Source,
    readonly hasToken = false,
  ) {}

  item(): vscode.TreeItem {
    const { source, hasToken, job } = this;
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    const item = drawn(sourceText(source, vscode.env.language, { hasToken, job }), isCloud(source) ? Collapsed : None);
    item.id = `source:${source.id}`;
    item.contextValue = ["source", source.enabled ? "enabled" : "disabled", isCloud(source) ? "cloud" : "folder"].join(".");
    item.iconPath = sourceIcon(source, hasToken);
    return item;
  }
}

/** Choosing it sets the token without which nothing of the source is found. */
export class TokenRow {
  constructor(readonly parent: SourceRow) {}

  item(): vscode.TreeItem {
    const item = drawn({ label: SET_TOKEN(), description: "", tooltip: [SET_TOKEN()] });
    item.id = `token:${this.parent.source.id}`;
    item.iconPath = new vscode.ThemeIcon("key");
    item.command = { command: "ragAssistant.setSourceToken", title: l10n.t("Set Token"), arguments: [this.parent] };
    return item;
  }
}

export class CycleRow {
  constructor(
    readonly parent: SourceRow,
    private readonly cycle: LedgerCycle,
  ) {}

  item(): vscode.TreeItem {
    const item = drawn(cycleText(this.cycle, vscode.env.language));
    item.id = `cycle:${this.parent.source.id}`;
    item.iconPath = new vscode.ThemeIcon(this.cycle.complete ? "pass" : "circle-large-outline");
    item.command = { command: "ragAssistant.showLedger", title: l10n.t("Show Ledger"), arguments: [this.parent] };
    return item;
  }
}

export class HeldRow {
  constructor(
    readonly parent: SourceRow,
    private readonly count: number,
    private readonly notice: string,
  ) {}

  item(): vscode.TreeItem {
    const label = heldText(this.count);
    const item = drawn({ label, description: this.notice, tooltip: [label, this.notice] });
    item.id = `held:${this.parent.source.id}`;
    item.contextValue = "held";
    item.iconPath = WARNING;
    return item;
  }
}

/** What was left out, as one row that holds them all. */
export class LeftOutRow {
  constructor(
    readonly parent: SourceRow,
    readonly items: readonly SkippedItem[],
    readonly total: number,
  ) {}

  item(): vscode.TreeItem {
    const item = new vscode.TreeItem(l10n.t("Left out ({0})", this.total), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `leftOut:${this.parent.source.id}`;
    item.contextValue = "leftOut";
    item.iconPath = new vscode.ThemeIcon("circle-slash");
    return item;
  }
}

export class LeftItemRow {
  constructor(
    readonly parent: LeftOutRow,
    readonly left: SkippedItem,
  ) {}

  item(): vscode.TreeItem {
    const item = drawn(skippedText(this.left));
    item.id = `left:${this.parent.parent.source.id}:${this.left.id}`;
    item.contextValue = "leftItem";
    item.iconPath = new vscode.ThemeIcon("dash");
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
const WARNING = new vscode.ThemeIcon("warning", new vscode.ThemeColor("problemsWarningIcon.foreground"));

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

const CLOUD_ICONS: Partial<Record<CloudMood, string>> = { paused: "debug-pause", syncing: "sync~spin", noToken: "key", waiting: "key" };

function sourceIcon(source: Source, hasToken: boolean): vscode.ThemeIcon {
  if (isCloud(source)) {
    const mood = cloudMood(source, hasToken);
    if (mood === "failed") return FAILED;
    if (mood === "held") return WARNING;
    return new vscode.ThemeIcon(CLOUD_ICONS[mood] ?? SOURCE_ICONS[source.type] ?? "cloud");
  }
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
