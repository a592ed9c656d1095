/** The language model that was added, key and all, in the editor's secret storage: never in settings. */

import * as vscode from "vscode";

import { type DaemonModel, readModel } from "../../core/daemon/languageModel";

const KEY = "ragAssistant.languageModel";

export class ModelStore {
  readonly onDidChange: vscode.Event<void>;

  constructor(private readonly secrets: vscode.SecretStorage) {
    this.onDidChange = (listener, thisArgs, disposables) =>
      secrets.onDidChange((event) => event.key === KEY && void listener.call(thisArgs), undefined, disposables);
  }

  async read(): Promise<DaemonModel | undefined> {
    return readModel(await this.secrets.get(KEY));
  }

  async write(model: DaemonModel | undefined): Promise<void> {
    if (model === undefined) await this.secrets.delete(KEY);
    else await this.secrets.store(KEY, JSON.stringify(model));
  }
}
