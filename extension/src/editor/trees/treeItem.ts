/** What the rows of all trees have in common. */

import * as vscode from "vscode";

import { asRagError } from "../../core/common/errors";
import { textLines } from "../../core/common/safeMarkdown";
import type { RowText } from "../../core/trees/rowText";

export const FAILED = new vscode.ThemeIcon("error", new vscode.ThemeColor("problemsErrorIcon.foreground"));
export const WARNING = new vscode.ThemeIcon("warning", new vscode.ThemeColor("problemsWarningIcon.foreground"));

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

export function drawn(
  { label, description, tooltip }: RowText,
  state = vscode.TreeItemCollapsibleState.None,
): vscode.TreeItem {
  const item = new vscode.TreeItem(label, state);
  item.description = description;
  // Titles and errors come from documents: they are put in as text, not as Markdown.
  item.tooltip = new vscode.MarkdownString(textLines(tooltip));
  return item;
}
