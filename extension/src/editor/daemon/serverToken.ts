/** The token of the server at `ragAssistant.server.url`, in the editor's secret storage. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

const KEY = "ragAssistant.serverToken";

export class ServerToken {
  readonly onDidChange: vscode.Event<void>;

  constructor(private readonly secrets: vscode.SecretStorage) {
    this.onDidChange = (listener, thisArgs, disposables) =>
      secrets.onDidChange((event) => event.key === KEY && void listener.call(thisArgs), undefined, disposables);
  }

  /** Empty when none was entered. */
  async read(): Promise<string> {
    return (await this.secrets.get(KEY)) ?? "";
  }

  /** Lets the user enter it; an empty one removes it. */
  async ask(): Promise<void> {
    const entered = await vscode.window.showInputBox({
      title: l10n.t("Token of the RAG Assistant server"),
      prompt: l10n.t("It is sent to the address in the setting ragAssistant.server.url. Leave it empty to remove it."),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) =>
        /^[\x21-\x7e]*$/.test(text.trim())
          ? undefined
          : l10n.t("A token has only printable ASCII characters, without blanks."),
    });
    if (entered === undefined) return;
    const token = entered.trim();
    if (token) await this.secrets.store(KEY, token);
    else await this.secrets.delete(KEY);
  }
}
