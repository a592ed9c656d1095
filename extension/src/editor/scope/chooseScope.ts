/** A list in which people tick what to ask: with the editor's own find over all of it. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { asRagError } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { sameItem, scopeChoices, type ScopeChoice } from "../../core/scope/scopeChoices";
import type { ScopeItem } from "../../protocol/session";

interface Row extends vscode.QuickPickItem {
  choice?: ScopeItem;
}

const ICONS: Record<ScopeItem["kind"], string> = {
  collection: "database",
  source: "plug",
  folder: "folder",
  document: "file",
};

/** What is ticked at the end; undefined when the list was left. */
export async function chooseScope(
  daemon: Pick<DaemonService, "client">,
  scope: readonly ScopeItem[],
): Promise<ScopeItem[] | undefined> {
  const list = vscode.window.createQuickPick<Row>();
  const closed = new AbortController();
  list.title = l10n.t("Ask only these");
  list.placeholder = l10n.t("Looking through your documents");
  list.canSelectMany = true;
  list.matchOnDescription = true;
  list.busy = true;
  list.ignoreFocusOut = true;
  const done = new Promise<ScopeItem[] | undefined>((resolve) => {
    list.onDidAccept(() => {
      if (!list.busy) resolve(list.selectedItems.flatMap(({ choice }) => choice ?? []));
    });
    list.onDidHide(() => resolve(undefined));
  });
  list.show();
  daemon
    .client()
    .then((client) => scopeChoices(client, closed.signal))
    .then((choices) => {
      // What was chosen elsewhere, such as a folder of the explorer, stays to be unticked.
      const others = scope
        .filter((one) => !choices.some((choice) => sameItem(choice, one)))
        .map((one) => ({ ...one, detail: "" }));
      const rows = grouped([...others, ...choices]);
      list.items = rows;
      list.selectedItems = rows.filter(({ choice }) => choice && scope.some((one) => sameItem(one, choice)));
      list.placeholder = l10n.t("Tick collections, sources, folders or documents; none asks all");
      list.busy = false;
    })
    .catch((error: unknown) => {
      if (!closed.signal.aborted) list.placeholder = asRagError(error).message;
    });
  try {
    return await done;
  } finally {
    closed.abort();
    list.dispose();
  }
}

function grouped(choices: readonly ScopeChoice[]): Row[] {
  const titles: [ScopeItem["kind"], string][] = [
    ["collection", l10n.t("Collections")],
    ["source", l10n.t("Sources")],
    ["folder", l10n.t("Folders")],
    ["document", l10n.t("Documents")],
  ];
  return titles.flatMap(([kind, title]) => {
    const rows = choices.filter((one) => one.kind === kind);
    if (rows.length === 0) return [];
    return [
      { label: title, kind: vscode.QuickPickItemKind.Separator },
      ...rows.map(({ id, label, detail }): Row => ({
        label: `$(${ICONS[kind]}) ${label}`,
        description: detail,
        choice: { kind, id, label },
      })),
    ];
  });
}
