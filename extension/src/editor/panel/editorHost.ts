/** What the panel needs of the editor: clipboard, cursor, browser, dialogs. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { RagError } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import type { PanelHost } from "../../core/panel/controller";
import type { ScopeItem } from "../../protocol/session";
import type { ProblemCommand } from "../../protocol/setup";
import { chooseScope } from "../scope/chooseScope";
import { openLink } from "../webview/links";

export class EditorHost implements PanelHost, vscode.Disposable {
  /** Where the cursor was last: while the panel has the focus, there may be no active editor. */
  private lastEditor = vscode.window.activeTextEditor;
  private readonly listener = vscode.window.onDidChangeActiveTextEditor((editor) => {
    // The log is a text editor, too.
    if (editor && editor.document.uri.scheme !== "output") this.lastEditor = editor;
  });

  constructor(
    private readonly extensionId: string,
    private readonly daemon: Pick<DaemonService, "client">,
  ) {}

  get language(): string {
    return vscode.env.language;
  }

  get translations(): Record<string, string> {
    return vscode.l10n.bundle ?? {};
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  async insert(text: string): Promise<void> {
    const editor = vscode.window.visibleTextEditors.find((one) => one === this.lastEditor);
    if (!editor) {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text }));
      return;
    }
    const done = await editor.edit(
      (edit) => {
        for (const selection of editor.selections) edit.replace(selection, text);
      },
      { undoStopBefore: true, undoStopAfter: true },
    );
    if (!done)
      throw new RagError(
        "INSERT_FAILED",
        l10n.t("The text could not be inserted: the file in the editor can't be changed."),
      );
    await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  }

  async openLink(href: string): Promise<void> {
    await openLink(href);
  }

  async openSettings(query: string): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.openSettings", query || `@ext:${this.extensionId}`);
  }

  chooseScope(scope: ScopeItem[]): Promise<ScopeItem[] | undefined> {
    return chooseScope(this.daemon, scope);
  }

  async run(command: ProblemCommand): Promise<void> {
    if (command === "ragAssistant.openSettings") await this.openSettings("");
    else await vscode.commands.executeCommand(command);
  }

  async pick(folders: boolean): Promise<string[]> {
    const chosen = await vscode.window.showOpenDialog({
      canSelectFiles: !folders,
      canSelectFolders: folders,
      canSelectMany: true,
      openLabel: l10n.t("Add"),
      title: folders ? l10n.t("Add folders to the knowledge base") : l10n.t("Add files to the knowledge base"),
    });
    return (chosen ?? []).flatMap((uri) => pathOf(uri) ?? []);
  }

  pathOf(uri: string): string | undefined {
    return pathOf(vscode.Uri.parse(uri));
  }

  dispose(): void {
    this.listener.dispose();
  }
}

function pathOf(uri: vscode.Uri): string | undefined {
  if (uri.scheme === "file") return uri.fsPath;
  // In a remote window the explorer names the files of this machine so.
  if (uri.scheme === "vscode-remote" && vscode.env.remoteName !== undefined) return vscode.Uri.file(uri.path).fsPath;
  return undefined;
}
