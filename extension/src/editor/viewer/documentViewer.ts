/** The viewer's tabs: one is used again and again, unless it was pinned; all come back after a reload of the window. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonService } from "../../core/daemon/status";
import { readViewerTarget } from "../../core/viewer/viewerState";
import type { ViewerTarget } from "../../protocol/viewer";
import { webviewOptions } from "../webview/page";
import { ViewerTab, type TabServices } from "./viewerTab";

export const VIEWER_TYPE = "ragAssistant.viewer";

export class DocumentViewer implements vscode.WebviewPanelSerializer {
  /** The tab that was used last is the last. */
  private readonly tabs: ViewerTab[] = [];
  private readonly services: TabServices;

  constructor(
    private readonly context: vscode.ExtensionContext,
    daemon: DaemonService,
    log: vscode.LogOutputChannel,
    isHere: (uri: string) => Promise<boolean>,
  ) {
    const openImage = (assetId: string, title: string) =>
      this.show({ kind: "image", assetId, title }, { newTab: true });
    const openPlace = (target: ViewerTarget) => this.show(target, { newTab: true });
    this.services = { daemon, log, extensionUri: context.extensionUri, openImage, openPlace, isHere };
    context.subscriptions.push(vscode.window.registerWebviewPanelSerializer(VIEWER_TYPE, this), {
      dispose: () => this.tabs.splice(0).forEach((tab) => tab.dispose()),
    });
  }

  show(target: ViewerTarget, { newTab = false } = {}): void {
    const free = newTab ? undefined : this.tabs.findLast((tab) => !isPinned(tab.panel));
    const tab = free ?? this.adopt(this.createPanel(target.title));
    if (free) {
      this.tabs.push(...this.tabs.splice(this.tabs.indexOf(free), 1));
      free.panel.reveal();
    }
    void tab.show(target);
  }

  /** The document of the tab that has the focus. */
  shown(): { docId: string; title: string } | undefined {
    const target = this.tabs.find(({ panel }) => panel.active)?.shows;
    return target?.kind === "document" ? { docId: target.docId, title: target.title } : undefined;
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const target = readViewerTarget(state);
    if (!target) {
      panel.dispose();
      return Promise.resolve();
    }
    panel.webview.options = webviewOptions(this.context.extensionUri);
    void this.adopt(panel).show(target);
    return Promise.resolve();
  }

  private createPanel(title: string): vscode.WebviewPanel {
    // It has a search of its own, which knows more than what is on the screen.
    const options = webviewOptions(this.context.extensionUri);
    return vscode.window.createWebviewPanel(
      VIEWER_TYPE,
      title || l10n.t("Document"),
      vscode.ViewColumn.Active,
      options,
    );
  }

  private adopt(panel: vscode.WebviewPanel): ViewerTab {
    const tab = new ViewerTab(panel, this.services);
    this.tabs.push(tab);
    panel.onDidDispose(() => this.tabs.splice(this.tabs.indexOf(tab), 1));
    return tab;
  }
}

/** The editor does not say which tab belongs to which panel; type, column and title tell. */
function isPinned(panel: vscode.WebviewPanel): boolean {
  return vscode.window.tabGroups.all
    .filter((group) => group.viewColumn === panel.viewColumn)
    .flatMap((group) => group.tabs)
    .some((tab) => {
      const input = tab.input;
      return (
        tab.isPinned &&
        tab.label === panel.title &&
        input instanceof vscode.TabInputWebview &&
        input.viewType.endsWith(VIEWER_TYPE)
      );
    });
}
