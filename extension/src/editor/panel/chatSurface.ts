/** One place that shows a chat: the view in the side bar, or a tab. Each reads and writes the same chats, as windows do. */

import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";

import type { Disposable } from "../../core/common/events";
import type { PanelAnswerProvider } from "../../core/panel/answerProvider";
import { ChatController, type Parts } from "../../core/panel/controller";
import { Conversations, type Remembered } from "../../core/panel/conversations";
import { Outbox } from "../../core/panel/outbox";
import { SessionStore } from "../../core/sessions/sessionStore";
import type { MessageToWebview } from "../../protocol/chat";
import { webviewPage } from "../webview/page";
import { chatShell } from "./chatShell";

/** What all places share. */
export interface SurfaceServices extends Omit<Parts, "conversations"> {
  answers: PanelAnswerProvider;
  extensionUri: vscode.Uri;
  /** Where chats are kept. */
  folder: string;
}

export class ChatSurface implements vscode.Disposable {
  readonly controller: ChatController;
  readonly conversations: Conversations;
  private readonly outbox = new Outbox();
  private readonly store: SessionStore;
  private readonly disposables: Disposable[];

  constructor(
    private readonly services: SurfaceServices,
    private readonly remembered: Remembered,
  ) {
    const { answers, folder, log } = services;
    const { outbox } = this;
    this.store = new SessionStore(folder, log);
    this.conversations = new Conversations(this.store, answers, (message) => outbox.send(message), remembered, log);
    this.controller = new ChatController({ ...services, conversations: this.conversations }, outbox);
    this.disposables = [
      this.store.onDidFail((error) =>
        outbox.send({ type: "note", text: l10n.t("The chat could not be saved: {0}", error.message) }),
      ),
      this.store.onDidChangeElsewhere((id) => {
        if (id === this.conversations.current().id) void this.controller.refresh();
      }),
      this.store,
    ];
  }

  /** Draws the chat into this webview. `sees` is told of each message that goes there. */
  attach(webview: vscode.Webview, sees: (message: MessageToWebview) => void = () => undefined): void {
    void this.store.watch();
    this.outbox.attach((message) => {
      sees(message);
      void webview.postMessage(message);
    });
    webview.onDidReceiveMessage((message: unknown) => void this.controller.handle(message));
    const isNew = this.remembered.get() === undefined;
    // Before its first question a chat gives way to what the daemon needs.
    const shell = isNew && this.controller.needsSomebody() ? "" : chatShell(isNew);
    webview.html = webviewPage(webview, this.services.extensionUri, "chat", l10n.t("RAG Assistant"), shell);
    // The chat is read and sent while the page loads; what goes wrong is told to the page once it listens.
    this.conversations.restore().then(
      () => this.controller.sendAhead(),
      () => undefined,
    );
  }

  detach(): void {
    this.outbox.attach(undefined);
  }

  send(message: MessageToWebview): void {
    this.outbox.send(message);
  }

  /** The id of the chat that is shown, once another place can read it; undefined for one without a question. */
  async shared(): Promise<string | undefined> {
    const { id, messages } = this.conversations.current();
    if (messages.length === 0) return undefined;
    await this.store.flush(id);
    return id;
  }

  /** Ends all answers and writes all conversations. */
  close(): Promise<void> {
    return this.conversations.close();
  }

  dispose(): void {
    for (const one of this.disposables) one.dispose();
  }
}
