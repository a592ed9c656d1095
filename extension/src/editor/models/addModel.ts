/** "Add a Model…": a model of Ollama on this machine, or a service with a key; tried out before it is kept. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { RagError, isCancelled } from "../../core/common/errors";
import { isLocal } from "../../core/daemon/serverSpec";
import type { DaemonModel, ModelProvider } from "../../core/daemon/languageModel";
import { addModelPackages, hasModelPackages } from "../../core/models/modelPackages";
import {
  addressProblem,
  findOllama,
  keyProblem,
  listModels,
  needsKey,
  ollamaAddress,
  tryModel,
} from "../../core/models/modelService";
import { signalOf } from "../common/cancellation";
import { showFailure } from "../common/showFailure";
import type { EditorDaemon } from "../daemon/editorDaemon";
import { serverSettings, thisMachine } from "../daemon/settings";
import type { ModelStore } from "../daemon/modelStore";

interface Row extends vscode.QuickPickItem {
  chosen: { found: string } | { provider: ModelProvider } | "remove" | undefined;
}

const SERVICES: readonly [ModelProvider, string][] = [
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
  ["deepseek", "DeepSeek"],
];

export class AddModel {
  constructor(
    private readonly daemon: EditorDaemon,
    private readonly store: ModelStore,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The command. Nothing is asked of any host before the list is open, and only this machine then. */
  async run(): Promise<void> {
    try {
      const server = await this.daemon.server();
      if (server.kind === "url") {
        throw new RagError(
          "MODEL_SERVICE",
          l10n.t("The server at {0} has the language model that its administrator gave it.", server.url),
          l10n.t("Its settings llm.provider and llm.model name one."),
        );
      }
      if (!isLocal(server)) throw new RagError("SETUP_NEEDED", l10n.t("RAG Assistant is not set up yet."));
      const before = await this.store.read();
      const chosen = await this.choose(before);
      if (chosen === undefined) return;
      if (chosen === "remove") await this.remove();
      else {
        const model = "found" in chosen ? this.ollama(chosen.found) : await this.describe(chosen.provider);
        if (model !== undefined) await this.add(model, before);
      }
    } catch (error) {
      if (!isCancelled(error)) showFailure(error, this.log);
    }
  }

  private ollama(model: string): DaemonModel {
    return { provider: "ollama", url: ollamaAddress(process.env), model, key: "" };
  }

  /** The list opens at once; what an Ollama on this machine has comes on top. */
  private async choose(before: DaemonModel | undefined): Promise<Row["chosen"]> {
    const list = vscode.window.createQuickPick<Row>();
    const closed = new AbortController();
    list.title = l10n.t("Add a Model");
    list.placeholder = l10n.t("Which model shall write the answers?");
    list.matchOnDescription = true;
    const services: Row[] = [
      {
        label: `$(plug) ${l10n.t("OpenAI-compatible service…")}`,
        description: l10n.t("LM Studio, vLLM, llama.cpp, a gateway: address and key"),
        chosen: { provider: "openai_compatible" },
      },
      ...SERVICES.map(([provider, name]): Row => ({
        label: `$(cloud) ${name}…`,
        description: l10n.t("with a key of yours"),
        chosen: { provider },
      })),
      ...(before === undefined
        ? []
        : [{ label: `$(trash) ${l10n.t("Remove {0}", before.model)}`, chosen: "remove" as const }]),
    ];
    const looking: Row = {
      label: `$(loading~spin) ${l10n.t("Looking for Ollama on this machine")}`,
      chosen: undefined,
    };
    list.items = [looking, ...services];
    const picked = new Promise<Row["chosen"]>((resolve) => {
      list.onDidAccept(() => {
        const [row] = list.selectedItems;
        if (row?.chosen !== undefined) resolve(row.chosen);
      });
      list.onDidHide(() => resolve(undefined));
    });
    list.show();
    const address = ollamaAddress(process.env);
    findOllama(address, fetch, closed.signal)
      .then((models) => {
        const rows = models.map((model): Row => ({
          label: `$(device-desktop) ${model}`,
          description: l10n.t("Ollama on this machine"),
          chosen: { found: model },
        }));
        const none: Row = {
          label: `$(device-desktop) ${l10n.t("No Ollama on this machine")}`,
          description: l10n.t("start it, then open this list again ({0})", address),
          chosen: undefined,
        };
        list.items = [...(rows.length > 0 ? rows : [none]), ...services];
      })
      .catch((error: unknown) => {
        if (!closed.signal.aborted) this.log.error(String(error));
      });
    try {
      return await picked;
    } finally {
      closed.abort();
      list.dispose();
    }
  }

  /** Address, key and model of a service; undefined when it was left by Escape. */
  private async describe(provider: ModelProvider): Promise<DaemonModel | undefined> {
    const title = l10n.t("Add a Model");
    let url = "";
    if (provider === "openai_compatible") {
      const entered = await vscode.window.showInputBox({
        title,
        prompt: l10n.t("Base URL of the service; it often ends in /v1."),
        placeHolder: "http://127.0.0.1:1234/v1",
        ignoreFocusOut: true,
        validateInput: (text) => addressProblem(text.trim()),
      });
      if (entered === undefined) return undefined;
      url = entered.trim().replace(/\/+$/, "");
    }
    const mustHaveKey = needsKey(provider);
    const key = await vscode.window.showInputBox({
      title,
      prompt: mustHaveKey
        ? l10n.t("The key is kept in the editor's secret storage, never in settings.")
        : l10n.t("The key, if the service wants one. It is kept in the editor's secret storage, never in settings."),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) =>
        mustHaveKey && text.trim() === "" ? l10n.t("This service wants a key.") : keyProblem(text),
    });
    if (key === undefined) return undefined;
    const service = { provider, url, key: key.trim() };
    const names = await this.busy(l10n.t("Asking for the models"), (signal) => listModels(service, fetch, signal));
    const model =
      names.length > 0
        ? await vscode.window.showQuickPick(names, { title, placeHolder: l10n.t("Model"), ignoreFocusOut: true })
        : await vscode.window.showInputBox({
            title,
            prompt: l10n.t("The service lists no models. Name the model as the service knows it."),
            ignoreFocusOut: true,
          });
    return model === undefined || model.trim() === "" ? undefined : { ...service, model: model.trim() };
  }

  /** Tries it, gives the daemon what it needs for it, and keeps it; a daemon that can't use it goes on as before. */
  private async add(model: DaemonModel, before: DaemonModel | undefined): Promise<void> {
    await this.busy(l10n.t("Trying {0}", model.model), (signal) => tryModel(model, fetch, signal));
    await this.busy(l10n.t("Preparing the daemon for language models"), async (signal) => {
      const server = await this.daemon.server();
      if (!isLocal(server)) return;
      const context = { server, machine: thisMachine(), settings: serverSettings(), log: this.log };
      if (!(await hasModelPackages(context, signal))) await addModelPackages(context, signal);
    });
    await this.busy(l10n.t("Starting the daemon with {0}", model.model), async () => {
      try {
        await this.use(model);
      } catch (error) {
        await this.use(before);
        throw error;
      }
    });
    void vscode.window.showInformationMessage(l10n.t("{0} writes the answers from now on.", model.model));
  }

  private async remove(): Promise<void> {
    await this.busy(l10n.t("Starting the daemon without a language model"), () => this.use(undefined));
  }

  private async use(model: DaemonModel | undefined): Promise<void> {
    await this.store.write(model);
    await this.daemon.refresh();
    const { llm } = await (await this.daemon.client()).status();
    if (model === undefined || llm.model === model.model) return;
    throw new RagError(
      "MODEL_SERVICE",
      l10n.t("The daemon does not use this model: its own settings or a policy name another one."),
    );
  }

  private busy<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
    return Promise.resolve(
      vscode.window.withProgress(options, async (_progress, token) => {
        const signal = signalOf(token);
        try {
          return await work(signal);
        } finally {
          signal.dispose();
        }
      }),
    );
  }
}
