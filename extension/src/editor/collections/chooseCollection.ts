/** Into which collection documents go. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonClient } from "../../core/client/daemonClient";
import { documentCount } from "../../protocol/jobs";
import { askCollectionName } from "./askCollectionName";

interface Item extends vscode.QuickPickItem {
  /** Undefined: a new one is wanted. */
  name?: string;
  isMissing?: boolean;
}

/** The only one, or the one that people choose; a new one is made at once. Undefined when it was called off. */
export async function chooseCollection(
  client: DaemonClient,
  resource: vscode.Uri | undefined,
): Promise<string | undefined> {
  const all = await client.collections();
  const enabled = all.filter(({ status }) => status === "enabled");
  const setting = vscode.workspace.getConfiguration("ragAssistant", resource).get<string>("collection", "");
  const [only] = enabled;
  if (only && enabled.length === 1 && (setting === "" || setting === only.name)) return only.name;
  const items: Item[] = enabled.map(({ name, description, document_count }) => ({
    ...{ name, label: name, description: documentCount(document_count) },
    ...(description === "" ? {} : { detail: description }),
  }));
  // What is asked with is most likely what is meant, so it stands first.
  const preferred = items.findIndex(({ name }) => name === (setting || "default"));
  if (preferred > 0) items.unshift(...items.splice(preferred, 1));
  if (setting !== "" && !all.some(({ name }) => name === setting)) {
    items.unshift({ name: setting, isMissing: true, label: setting, description: l10n.t("new, named by the setting") });
  }
  items.push({ label: l10n.t("New collection…"), iconPath: new vscode.ThemeIcon("add") });
  const title = l10n.t("Add to Which Collection?");
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, ignoreFocusOut: true });
  if (!chosen) return undefined;
  if (chosen.name !== undefined && !chosen.isMissing) return chosen.name;
  const taken = all.map(({ name }) => name);
  const name = chosen.name ?? (await askCollectionName(l10n.t("New Collection"), "", taken));
  return name === undefined ? undefined : (await client.createCollection(name)).name;
}
