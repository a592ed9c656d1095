/** The chat panel in the editor: makes its parts, and shows the webview. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { AnswerService } from "../../core/answer/types";
import type { DaemonState } from "../../core/api/types";
import type { Disposable } from "../../core/common/events";
import type { DaemonService } from "../../core/daemon/status";
import { readLocalFiles } from "../../core/ingest/localFiles";
import { PanelIngests } from "../../core/ingest/panelIngests";
import { PanelAnswerProvider } from "../../core/panel/answerProvider";
import { ChoiceLoader, type PanelSettings } from "../../core/panel/choices";
import { ChatController } from "../../core/panel/controller";
import { Conversations } from "../../core/panel/conversations";
import { Images } from "../../core/panel/images";
import { Outbox } from "../../core/panel/outbox";
import { clip } from "../../core/sessions/sessionText";
import { SessionStore } from "../../core/sessions/sessionStore";
import type { SetupService } from "../../core/setup/setupService";
import type { ScopeItem } from "../../protocol/session";
import type { EditorModels } from "../answer/editorModels";
import type { Places } from "../places/places";
import { askedAbout } from "../scope/askAbout";
import { webviewOptions, webviewPage } from "../webview/page";
import { EditorHost } from "./editorHost";
import { exportChat } from "./exportChat";

export interface ChatServices {
  answerService: AnswerService;
  context: vscode.ExtensionContext;
  daemon: DaemonService;
  log: vscode.LogOutputChannel;
  models: EditorModels;
  places: Places;
  setup: SetupService;
}

const LONGEST_SELECTION = 100_000;
const VIEW = "ragAssistant.chat";
const SHOWN = "ragAssistant.chat.shown";

export class ChatPanel implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly disposables: Disposable[] = [];
  private readonly outbox = new Outbox();
  private readonly conversations: Conversations;
  private readonly controller: ChatController;
  private readonly extensionUri: vscode.Uri;
  private view: vscode.WebviewView | undefined;
  private changes: string | undefined;

  constructor({ answerService, context, daemon, log, models, places, setup }: ChatServices) {
    this.extensionUri = context.extensionUri;
    const { outbox } = this;
    const folder = vscode.Uri.joinPath(context.globalStorageUri, "sessions").fsPath;
    const store = new SessionStore(folder, log);
    const remembered = {
      get: () => context.workspaceState.get<string>(SHOWN),
      set: (id: string | undefined) => void context.workspaceState.update(SHOWN, id),
    };
    const answers = new PanelAnswerProvider(daemon, answerService, models);
    this.conversations = new Conversations(store, answers, (message) => outbox.send(message), remembered, log);
    const ingests = new PanelIngests(daemon, readLocalFiles, (ingest) => outbox.send({ type: "ingest", ingest }), log);
    const host = new EditorHost(context.extension.id, daemon);
    const choices = new ChoiceLoader(
      daemon,
      () => models.models(),
      settings,
      (loaded) => {
        outbox.send({ type: "choices", choices: loaded });
        this.controller.sendDaemonState();
      },
      log,
    );
    const images = new Images(daemon);
    const { conversations } = this;
    this.controller = new ChatController(
      { choices, conversations, daemon, host, images, ingests, log, places, setup },
      outbox,
    );
    const refresh = () => void choices.refresh();
    this.disposables.push(
      vscode.window.registerWebviewViewProvider(VIEW, this, { webviewOptions: { retainContextWhenHidden: true } }),
      daemon.onDidChangeStatus(() => {
        this.controller.sendDaemonState();
        refresh();
      }),
      daemon.onDidChangeLive((state) => this.follow(state, refresh)),
      setup.onDidChange(() => this.controller.sendDaemonState()),
      models.onDidChange(refresh),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("ragAssistant.collection") || event.affectsConfiguration("ragAssistant.answer"))
          refresh();
      }),
      store.onDidFail((error) =>
        outbox.send({ type: "note", text: l10n.t("The chat could not be saved: {0}", error.message) }),
      ),
      host,
      ingests,
      store,
    );
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = webviewOptions(this.extensionUri);
    this.outbox.attach((message) => void view.webview.postMessage(message));
    view.webview.onDidReceiveMessage((message: unknown) => void this.controller.handle(message));
    view.onDidChangeVisibility(() => {
      if (view.visible) void this.controller.refresh();
    });
    view.onDidDispose(() => {
      this.view = undefined;
      this.outbox.attach(undefined);
    });
    view.webview.html = webviewPage(view.webview, this.extensionUri, "chat", l10n.t("RAG Assistant"));
  }

  async show(): Promise<void> {
    if (this.view?.visible) this.view.show(false);
    else await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** A question asked as it is given; else the selection goes along with what is written then; else one that is asked for. */
  async ask(given?: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (typeof given === "string" && given.trim() !== "") {
      this.controller.compose(given, true);
    } else if (editor && !editor.selection.isEmpty) {
      const { document, selection } = editor;
      const name = vscode.workspace.asRelativePath(document.uri);
      const lines: [number, number] = [selection.start.line + 1, selection.end.line + 1];
      const place = lines[0] === lines[1] ? l10n.t("line {0}", lines[0]) : l10n.t("lines {0}–{1}", ...lines);
      const text = clip(document.getText(selection), LONGEST_SELECTION);
      this.controller.askAbout([], [{ name: l10n.t("{0}, {1}", name, place), text }]);
    } else {
      const text = await vscode.window.showInputBox({
        title: l10n.t("Ask your documents"),
        placeHolder: l10n.t("A question, in any language"),
      });
      if (!text?.trim()) return;
      this.controller.compose(text, true);
    }
    await this.show();
  }

  /** The next question is about these: rows of trees, files and folders, or what the viewer shows. */
  async askAbout(target: unknown, all: unknown, shown: ScopeItem | undefined): Promise<void> {
    const scope = await askedAbout(target, all, shown);
    if (scope.length === 0) return;
    this.controller.askAbout(scope, []);
    await this.show();
  }

  /** What these are about, in a new chat: summary, outline, topics and questions to begin with. */
  async showGuide(target: unknown, all: unknown, shown: ScopeItem | undefined): Promise<void> {
    const scope = await askedAbout(target, all, shown);
    if (scope.length === 0) return;
    this.controller.startNew();
    this.controller.askOnly(scope);
    await this.show();
  }

  async newChat(): Promise<void> {
    this.controller.startNew();
    await this.show();
  }

  async showHistory(): Promise<void> {
    this.controller.showHistory();
    await this.show();
  }

  export(): Promise<void> {
    return exportChat(this.conversations.current());
  }

  /** Ends all answers and writes all conversations: for the end of the extension. */
  close(): Promise<void> {
    return this.conversations.close();
  }

  dispose(): void {
    for (const one of this.disposables) one.dispose();
  }

  /** The counts are told with each state; the collections are loaded anew only when they have changed. */
  private follow(state: DaemonState, refresh: () => void): void {
    this.controller.sendDaemonState();
    if (state.changes === this.changes) return;
    this.changes = state.changes;
    refresh();
  }
}

function settings(): PanelSettings {
  const values = vscode.workspace.getConfiguration("ragAssistant");
  return {
    collection: values.get("collection", ""),
    model: values.get("answer.model", "auto"),
    passages: values.get("answer.passages", 5),
  };
}
