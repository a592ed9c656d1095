/** The rows of the tree of sources. Commands get them from menus, so they are classes: anything else is told apart. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Job, LedgerCycle, SkippedItem, Source } from "../../core/api/types";
import {
  SET_TOKEN,
  cloudState,
  cycleText,
  heldText,
  isCloud,
  skippedText,
  type CloudState,
} from "../../core/sources/cloudStatus";
import { sourceCondition, sourceText, type SourceCondition } from "../../core/sources/rows";
import { FAILED, WARNING, drawn } from "../trees/treeItem";

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
    item.contextValue = ["source", source.enabled ? "enabled" : "disabled", isCloud(source) ? "cloud" : "folder"].join(
      ".",
    );
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

const SOURCE_ICONS: Record<string, string> = { folder: "folder", confluence: "book", jira: "issues" };
const CONDITION_ICONS: Partial<Record<SourceCondition, string>> = { paused: "debug-pause", syncing: "sync~spin" };

const CLOUD_ICONS: Partial<Record<CloudState, string>> = {
  paused: "debug-pause",
  syncing: "sync~spin",
  noToken: "key",
  waiting: "key",
};

function sourceIcon(source: Source, hasToken: boolean): vscode.ThemeIcon {
  if (isCloud(source)) {
    const condition = cloudState(source, hasToken);
    if (condition === "failed") return FAILED;
    if (condition === "held") return WARNING;
    return new vscode.ThemeIcon(CLOUD_ICONS[condition] ?? SOURCE_ICONS[source.type] ?? "cloud");
  }
  const condition = sourceCondition(source);
  if (condition === "failed") return FAILED;
  return new vscode.ThemeIcon(CONDITION_ICONS[condition] ?? SOURCE_ICONS[source.type] ?? "cloud");
}
