/** Who can write answers, and who does. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { ChosenWriter } from "../../core/answer/types";
import type { DaemonService } from "../../core/daemon/status";
import type { ModelChoice } from "../../protocol/chat";
import { EditorModel, MissingModel } from "./editorModel";
import { DAEMON_MODEL, OWN_VENDOR } from "./ownModels";

const SETTING = "ragAssistant.answer.model";
const EDITOR = "editor:";

export class EditorModels implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly listeners: vscode.Disposable[];
  /** The models or the setting have changed. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly daemon: DaemonService) {
    this.listeners = [
      vscode.lm.onDidChangeChatModels(() => this.changed.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTING)) this.changed.fire();
      }),
    ];
  }

  /** What can be chosen now. Throws `RagError` when a daemon that is ready can't be asked. */
  async models(): Promise<ModelChoice[]> {
    const [editors, daemon] = await Promise.all([modelsOfOthers(), this.daemonModel()]);
    const names = new Map<string, number>();
    for (const { name } of editors) names.set(name, (names.get(name) ?? 0) + 1);
    const ofEditor = editors.map(({ id, name, vendor }) => ({
      id: EDITOR + id,
      label: (names.get(name) ?? 0) > 1 ? l10n.t("{0} ({1})", name, vendor) : name,
    }));
    const ofDaemon = daemon === undefined ? [] : [{ id: "daemon", label: l10n.t("Daemon: {0}", daemon) }];
    const isNone = editors.length === 0 && daemon === undefined;
    return [
      { id: "auto", label: isNone ? l10n.t("Automatic: passages only") : l10n.t("Automatic") },
      ...ofEditor,
      ...ofDaemon,
      { id: "none", label: l10n.t("No model: passages only") },
    ];
  }

  /** Who writes, by the `id` of a `ModelChoice`; without one, as the setting says. */
  async writerFor(choice: string | undefined): Promise<ChosenWriter> {
    const chosen = choice ?? vscode.workspace.getConfiguration().get<string>(SETTING, "auto");
    if (chosen === "none") return "passages";
    if (chosen === "daemon") return this.ofDaemon();
    const models = await modelsOfOthers(chosen.startsWith(EDITOR) ? { id: chosen.slice(EDITOR.length) } : {});
    const [model] = models;
    if (model !== undefined) return new EditorModel(model);
    if (chosen === "auto") return this.ofDaemon();
    const name = chosen === "editor" ? l10n.t("The editor's model") : chosen.slice(EDITOR.length);
    return new MissingModel(name, l10n.t("the editor has no such model now"));
  }

  /** Who writes for a request in the editor's chat, whose model is one of ours or another's. */
  async writerOf(model: vscode.LanguageModelChat): Promise<ChosenWriter> {
    const setting = vscode.workspace.getConfiguration().get<string>(SETTING, "auto");
    if (setting === "none") return "passages";
    if (setting === "daemon") return this.ofDaemon();
    if (model.vendor !== OWN_VENDOR) return new EditorModel(model);
    if (model.id === DAEMON_MODEL) return undefined;
    // Where there is nothing else to choose, nobody preferred the passages to a model.
    return (await modelsOfOthers()).length === 0 && (await this.ofDaemon()) === "nobody" ? "nobody" : "passages";
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
    this.changed.dispose();
  }

  /** Waits for a daemon that starts: what it has is not known before. */
  private async ofDaemon(): Promise<"nobody" | undefined> {
    try {
      const { llm } = await (await this.daemon.client()).status();
      return llm.provider === "none" ? "nobody" : undefined;
    } catch {
      // The question itself meets the same failure, and says it with its remedy.
      return undefined;
    }
  }

  private async daemonModel(): Promise<string | undefined> {
    const { status } = this.daemon;
    if (status.kind !== "ready") return undefined;
    const { llm } = await status.client.status();
    return llm.provider === "none" ? undefined : llm.model || llm.provider;
  }
}

/** Ours answer from the daemon themselves: asked for an answer from its passages, they would search once more. */
async function modelsOfOthers(selector: vscode.LanguageModelChatSelector = {}): Promise<vscode.LanguageModelChat[]> {
  return (await vscode.lm.selectChatModels(selector)).filter(({ vendor }) => vendor !== OWN_VENDOR);
}
