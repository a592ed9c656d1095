/** Finds documents of all collections by a part of their path or title: the daemon looks, however many there are. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Document } from "../../core/api/types";
import { foundText } from "../../core/collections/rows";
import { asRagError, isCancelled } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { shortName } from "../../protocol/places";
import { documentIcon } from "./rows";

const PAUSE_MS = 150;
const SHOWN = 50;

interface Found extends vscode.QuickPickItem {
  id?: string;
}

/** The id of the document that was chosen. */
export async function findDocument(daemon: DaemonService): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<Found>();
  pick.title = l10n.t("Find Document");
  pick.placeholder = l10n.t("A part of the path or the title");
  let looking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Accepted while the daemon looks: the list was of an earlier text, so that it is taken only when the new one has it.
  let wanted: string | undefined;
  let choose: (id: string | undefined) => void;
  const chosen = new Promise<string | undefined>((resolve) => (choose = resolve));
  const look = async ({ signal }: AbortController): Promise<void> => {
    try {
      const client = await daemon.client();
      const query = { text: pick.value.trim(), page: 1, page_size: SHOWN };
      const { items, total } = await client.listDocuments(query, signal);
      if (signal.aborted) return;
      pick.items = rows(items, total);
      if (items.some(({ id }) => id === wanted)) choose(wanted);
    } catch (error) {
      if (isCancelled(error) || signal.aborted) return;
      const { message, advice } = asRagError(error);
      pick.items = [{ label: message, detail: advice, alwaysShow: true }];
    } finally {
      if (!signal.aborted) {
        pick.busy = false;
        wanted = undefined;
      }
    }
  };
  const changed = (): void => {
    looking.abort();
    clearTimeout(timer);
    const next = (looking = new AbortController());
    pick.busy = true;
    wanted = undefined;
    timer = setTimeout(() => void look(next), PAUSE_MS);
  };
  pick.onDidChangeValue(changed);
  pick.onDidAccept(() => {
    const id = pick.selectedItems[0]?.id;
    if (pick.busy) wanted = id;
    else if (id !== undefined) choose(id);
  });
  pick.onDidHide(() => choose(undefined));
  changed();
  pick.show();
  const id = await chosen;
  looking.abort();
  clearTimeout(timer);
  pick.dispose();
  return id;
}

function rows(documents: Document[], total: number): Found[] {
  // The daemon has looked already, for paths too, in whatever case and script: the editor must not sieve once more.
  const found = documents.map((document): Found => {
    const label = document.restricted === true ? "" : shortName(document.source);
    return { ...foundText(document, label), iconPath: documentIcon(document), id: document.id, alwaysShow: true };
  });
  if (documents.length === 0) return [{ label: l10n.t("Nothing is there that matches."), alwaysShow: true }];
  const more = total - documents.length;
  if (more > 0) found.push({ label: l10n.t("{0} more: write more of the name.", more), alwaysShow: true });
  return found;
}
