/** What a person has agreed to, in the editor's secret storage: a change reaches every window at once, and no workspace can make one. */

import type * as vscode from "vscode";

import { type PictureAgreement, readAgreement } from "../../core/daemon/pictureAgreement";

const KEY = "ragAssistant.pictureAgreement";

export class AgreementStore {
  readonly onDidChange: vscode.Event<void>;

  constructor(private readonly secrets: vscode.SecretStorage) {
    this.onDidChange = (listener, thisArgs, disposables) =>
      secrets.onDidChange((event) => event.key === KEY && void listener.call(thisArgs), undefined, disposables);
  }

  async read(): Promise<PictureAgreement | undefined> {
    return readAgreement(await this.secrets.get(KEY));
  }

  async write(agreement: PictureAgreement | undefined): Promise<void> {
    if (agreement === undefined) await this.secrets.delete(KEY);
    else await this.secrets.store(KEY, JSON.stringify(agreement));
  }
}
