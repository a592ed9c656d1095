/** Chats as tabs of the editor, each with a chat of its own; they come back with the window. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { MessageToWebview } from "../../protocol/chat";
import { webviewOptions } from "../webview/page";
import { ChatSurface, type SurfaceServices } from "./chatSurface";

const TYPE = "ragAssistant.chatTab";
const SESSION_ID = /^[0-9a-f-]{36}$/;
const OPEN = "chatTabs";

export interface ShownTab {
  surface: ChatSurface;
  reveal: () => void;
}

interface Tab {
  panel: vscode.WebviewPanel;
  surface: ChatSurface;
  sessionId: string | undefined;
}

export class ChatTabs implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly tabs = new Set<Tab>();
  private readonly registration = vscode.window.registerWebviewPanelSerializer(TYPE, this);
  /** The chats of the tabs that the window had before. */
  private readonly before: readonly string[];

  constructor(
    private readonly services: SurfaceServices,
    private readonly memento: vscode.Memento,
  ) {
    this.before = memento.get<string[]>(OPEN, []);
  }

  get surfaces(): ChatSurface[] {
    return [...this.tabs].map(({ surface }) => surface);
  }

  /** The tab that is looked at, else one beside it. */
  shown(): ShownTab | undefined {
    const tabs = [...this.tabs];
    const tab = tabs.find(({ panel }) => panel.active) ?? tabs.find(({ panel }) => panel.visible);
    return tab && { surface: tab.surface, reveal: () => tab.panel.reveal() };
  }

  /** Opens a chat, or comes back to the tab that shows it; a new one without an id. */
  open(sessionId: string | undefined): void {
    const known = [...this.tabs].find((tab) => sessionId !== undefined && tab.sessionId === sessionId);
    if (known) {
      known.panel.reveal();
      return;
    }
    const { extensionUri } = this.services;
    const options = { ...webviewOptions(extensionUri), retainContextWhenHidden: true };
    const panel = vscode.window.createWebviewPanel(TYPE, l10n.t("New chat"), vscode.ViewColumn.Active, options);
    this.fill(panel, sessionId);
  }

  /** `state`: what the page kept, which may be of an older version. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { session } = (state ?? {}) as { session?: unknown };
    panel.webview.options = webviewOptions(this.services.extensionUri);
    const kept = typeof session === "string" && SESSION_ID.test(session) ? session : undefined;
    this.fill(panel, kept ?? this.notYetBack());
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all(this.surfaces.map((surface) => surface.close()));
  }

  dispose(): void {
    this.registration.dispose();
    for (const { surface } of this.tabs) surface.dispose();
  }

  /** The editor keeps a page's state once a minute and when it ends in order; a window in a browser may not end so. */
  private notYetBack(): string | undefined {
    const back = new Set([...this.tabs].map(({ sessionId }) => sessionId));
    return this.before.find((id) => SESSION_ID.test(id) && !back.has(id));
  }

  private remember(): void {
    void this.memento.update(
      OPEN,
      [...this.tabs].flatMap(({ sessionId }) => sessionId ?? []),
    );
  }

  private fill(panel: vscode.WebviewPanel, sessionId: string | undefined): void {
    const set = (id: string | undefined) => {
      tab.sessionId = id;
      this.remember();
    };
    const surface = new ChatSurface(this.services, { get: () => tab.sessionId, set, isLive: true });
    const tab: Tab = { panel, surface, sessionId };
    this.tabs.add(tab);
    this.remember();
    surface.attach(panel.webview, (message) => {
      const title = titleIn(message);
      if (title !== undefined) panel.title = title === "" ? l10n.t("New chat") : title;
    });
    panel.onDidChangeViewState(() => {
      if (panel.visible) void surface.controller.refresh();
    });
    panel.onDidDispose(() => {
      this.tabs.delete(tab);
      this.remember();
      surface.detach();
      // An answer that nobody sees any more ends, and what came of it is kept.
      void surface.close().finally(() => surface.dispose());
    });
  }
}

function titleIn(message: MessageToWebview): string | undefined {
  if (message.type === "init" || message.type === "session") return message.session.title;
  return message.type === "answer.started" || message.type === "session.title" ? message.title : undefined;
}
