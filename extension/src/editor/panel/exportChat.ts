/** The chat that is shown, as a file. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { exportName, sessionMarkdown, type ExportFormat } from "../../core/sessions/sessionExport";
import type { Session } from "../../protocol/session";

/** `given`: the format, where a caller names one. */
export async function exportChat(session: Session, given?: unknown): Promise<void> {
  if (session.messages.length === 0) {
    void vscode.window.showInformationMessage(l10n.t("There is nothing to export yet: ask a question first."));
    return;
  }
  const format = given === "md" || given === "html" ? given : await chooseFormat();
  if (format === undefined) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = exportName(session.title, format);
  const filters: Record<ExportFormat, Record<string, string[]>> = {
    md: { Markdown: ["md"] },
    html: { [l10n.t("Web page")]: ["html"] },
  };
  const target = await vscode.window.showSaveDialog({
    title: l10n.t("Export chat"),
    filters: filters[format],
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
  });
  if (!target) return;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(await written(session, format)));
  if (format === "md") await vscode.window.showTextDocument(target);
  else await offerToOpen(target);
}

async function chooseFormat(): Promise<ExportFormat | undefined> {
  const formats: (vscode.QuickPickItem & { format: ExportFormat })[] = [
    {
      label: l10n.t("Web page"),
      description: ".html",
      detail: l10n.t("One file that looks alike everywhere"),
      format: "html",
    },
    { label: "Markdown", description: ".md", detail: l10n.t("To be edited, or put among your notes"), format: "md" },
  ];
  return (await vscode.window.showQuickPick(formats, { title: l10n.t("Export chat"), matchOnDescription: true }))
    ?.format;
}

async function written(session: Session, format: ExportFormat): Promise<string> {
  if (format === "md") return sessionMarkdown(session);
  const { sessionHtml } = await import("../../core/sessions/sessionHtml");
  return sessionHtml(session, vscode.env.language);
}

async function offerToOpen(target: vscode.Uri): Promise<void> {
  const open = l10n.t("Open in Browser");
  const text = l10n.t("The chat was written to {0}.", vscode.workspace.asRelativePath(target));
  if ((await vscode.window.showInformationMessage(text, open)) === open) await vscode.env.openExternal(target);
}
