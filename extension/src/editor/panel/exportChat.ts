/** The chat that is shown, as a file. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { exportName, sessionMarkdown } from "../../core/sessions/sessionExport";
import type { Session } from "../../protocol/session";

export async function exportChat(session: Session): Promise<void> {
  if (session.messages.length === 0) {
    void vscode.window.showInformationMessage(l10n.t("There is nothing to export yet: ask a question first."));
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = exportName(session.title);
  const target = await vscode.window.showSaveDialog({
    title: l10n.t("Export chat"),
    filters: { Markdown: ["md"] },
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
  });
  if (!target) return;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(sessionMarkdown(session)));
  await vscode.window.showTextDocument(target);
}
