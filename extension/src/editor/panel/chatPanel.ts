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
import { Images } from "../../core/panel/images";
import { clip } from "../../core/sessions/sessionText";
import type { SetupService } from "../../core/setup/setupService";
import type { MessageToWebview } from "../../protocol/chat";
import type { ScopeItem } from "../../protocol/session";
import type { EditorModels } from "../answer/editorModels";
import type { Places } from "../places/places";
import { askedAbout } from "../scope/askAbout";
import { webviewOptions } from "../webview/page";
import { ChatSurface } from "./chatSurface";
import { ChatTabs, type ShownTab } from "./chatTabs";
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
  private readonly side: ChatSurface;
  private readonly tabs: ChatTabs;
  private readonly extensionUri: vscode.Uri;
  private view: vscode.WebviewView | undefined;
  private changes: string | undefined;

  constructor({ answerService, context, daemon, log, models, places, setup }: ChatServices) {
    const { extensionUri } = context;
    this.extensionUri = extensionUri;
    const folder = vscode.Uri.joinPath(context.globalStorageUri, "sessions").fsPath;
    const answers = new PanelAnswerProvider(daemon, answerService, models);
    const ingests = new PanelIngests(daemon, readLocalFiles, (ingest) => this.tell({ type: "ingest", ingest }), log);
    const host = new EditorHost(context.extension.id, daemon);
    const choices = new ChoiceLoader(
      daemon,
      () => models.models(),
      settings,
      (loaded) => {
        this.tell({ type: "choices", choices: loaded });
        this.tellDaemonState();
      },
      log,
    );
    const images = new Images(daemon);
    const shared = { answers, choices, daemon, extensionUri, folder, host, images, ingests, log, places, setup };
    this.side = new ChatSurface(shared, {
      get: () => context.workspaceState.get<string>(SHOWN),
      set: (id: string | undefined) => void context.workspaceState.update(SHOWN, id),
    });
    this.tabs = new ChatTabs(shared, context.workspaceState);
    const refresh = () => void choices.refresh();
    this.disposables.push(
      vscode.window.registerWebviewViewProvider(VIEW, this, { webviewOptions: { retainContextWhenHidden: true } }),
      daemon.onDidChangeStatus(() => {
        this.tellDaemonState();
        refresh();
      }),
      daemon.onDidChangeLive((state) => this.follow(state, refresh)),
      setup.onDidChange(() => this.tellDaemonState()),
      models.onDidChange(refresh),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("ragAssistant.collection") || event.affectsConfiguration("ragAssistant.answer"))
          refresh();
      }),
      host,
      ingests,
      this.tabs,
      this.side,
    );
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = webviewOptions(this.extensionUri);
    view.onDidChangeVisibility(() => {
      if (view.visible) void this.side.controller.refresh();
    });
    view.onDidDispose(() => {
      this.view = undefined;
      this.side.detach();
    });
    this.side.attach(view.webview);
  }

  async show(): Promise<void> {
    if (this.view?.visible) this.view.show(false);
    else await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** The chat that is shown, in a tab of the editor beside the view. */
  async openInEditor(): Promise<void> {
    this.tabs.open(await this.current().shared());
  }

  /** A question asked as it is given; else the selection goes along with what is written then; else one that is asked for. */
  async ask(given?: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const { controller } = this.current();
    if (typeof given === "string" && given.trim() !== "") {
      controller.compose(given, true);
    } else if (editor && !editor.selection.isEmpty) {
      const { document, selection } = editor;
      const name = vscode.workspace.asRelativePath(document.uri);
      const lines: [number, number] = [selection.start.line + 1, selection.end.line + 1];
      const place = lines[0] === lines[1] ? l10n.t("line {0}", lines[0]) : l10n.t("lines {0}–{1}", ...lines);
      const text = clip(document.getText(selection), LONGEST_SELECTION);
      controller.askAbout([], [{ name: l10n.t("{0}, {1}", name, place), text }]);
    } else {
      const text = await vscode.window.showInputBox({
        title: l10n.t("Ask your documents"),
        placeHolder: l10n.t("A question, in any language"),
      });
      if (!text?.trim()) return;
      controller.compose(text, true);
    }
    await this.reveal();
  }

  /** The next question is about these: rows of trees, files and folders, or what the viewer shows. */
  async askAbout(target: unknown, all: unknown, shown: ScopeItem | undefined): Promise<void> {
    const scope = await askedAbout(target, all, shown);
    if (scope.length === 0) return;
    this.current().controller.askAbout(scope, []);
    await this.reveal();
  }

  /** What these are about, in a new chat: summary, outline, topics and questions to begin with. */
  async showGuide(target: unknown, all: unknown, shown: ScopeItem | undefined): Promise<void> {
    const scope = await askedAbout(target, all, shown);
    if (scope.length === 0) return;
    const { controller } = this.current();
    controller.startNew();
    controller.askOnly(scope);
    await this.reveal();
  }

  async newChat(given?: unknown): Promise<void> {
    this.current(given).controller.startNew();
    await this.reveal(given);
  }

  async showHistory(given?: unknown): Promise<void> {
    this.current(given).controller.showHistory();
    await this.reveal(given);
  }

  /** `given`: the format, md or html, or the tab whose button it was; people choose the format then. */
  export(given?: unknown): Promise<void> {
    return exportChat(this.current(given).conversations.current(), given);
  }

  /** Ends all answers and writes all conversations: for the end of the extension. */
  async close(): Promise<void> {
    await Promise.all([this.side.close(), this.tabs.close()]);
  }

  dispose(): void {
    for (const one of this.disposables) one.dispose();
  }

  /** Where a command acts: in the view when it is open, else in the tab that is seen. `given`: a button of a tab names the tab. */
  private current(given?: unknown): ChatSurface {
    return this.tab(given)?.surface ?? this.side;
  }

  private async reveal(given?: unknown): Promise<void> {
    const tab = this.tab(given);
    if (tab) tab.reveal();
    else await this.show();
  }

  private tab(given: unknown): ShownTab | undefined {
    const isOfTab = given instanceof vscode.Uri && given.scheme === "webview-panel";
    return isOfTab || this.view?.visible !== true ? this.tabs.shown() : undefined;
  }

  private tell(message: MessageToWebview): void {
    for (const surface of [this.side, ...this.tabs.surfaces]) surface.send(message);
  }

  private tellDaemonState(): void {
    for (const surface of [this.side, ...this.tabs.surfaces]) surface.controller.sendDaemonState();
  }

  /** The counts are told with each state; the collections are loaded anew only when they have changed. */
  private follow(state: DaemonState, refresh: () => void): void {
    this.tellDaemonState();
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
