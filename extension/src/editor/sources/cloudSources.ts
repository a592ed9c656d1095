/** Adding and changing Confluence and Jira sources, and the person's own tokens for them. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Source } from "../../core/api/types";
import { isOnThisMachine } from "../../core/client/connection";
import type { DaemonClient } from "../../core/client/daemonClient";
import { storedToken, tokenProblem } from "../../core/client/sourceTokens";
import { RagError } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import {
  FROM_REQUEST,
  formOf,
  newForm,
  newSource,
  secret,
  sourceChange,
  type CloudForm,
  type Product,
  type Step,
} from "../../core/sources/cloudForm";
import { authOf, isCloud } from "../../core/sources/cloudStatus";
import { runForm, type FormHost } from "../../core/sources/runCloudForm";
import { showFailure } from "../common/showFailure";
import { askStep, whileTesting } from "./cloudFormInputs";
import type { EditorSourceTokens } from "./editorSourceTokens";

export class CloudSources {
  constructor(
    private readonly daemon: DaemonService,
    private readonly tokens: EditorSourceTokens,
    private readonly log: vscode.LogOutputChannel,
    private readonly refresh: () => void,
  ) {}

  add(product: Product): Promise<void> {
    return this.showingFailures(async () => {
      const client = await this.daemon.client();
      const enabled = (await client.collections()).filter(({ status }) => status === "enabled");
      const form = newForm(
        product,
        enabled.map(({ name }) => name),
      );
      const title = product === "jira" ? l10n.t("Add Jira Project") : l10n.t("Add Confluence Space");
      let added: Source | undefined;
      const saved = await this.run(client, form, title, "address", async (filled) => {
        added = await client.addCloudSource(newSource(filled), secret(filled));
        if (filled.tokenStore === "editor") await this.tokens.store(added.id, secret(filled));
      });
      // A message may stay for long; the tree shows the source at once.
      if (saved !== undefined && added !== undefined) void this.showAdded(added, saved);
    });
  }

  edit(source: Source): Promise<void> {
    return this.showingFailures(async () => {
      const client = await this.daemon.client();
      const stored = (await this.tokens.all()).get(source.id) ?? "";
      const form = formOf(source, stored);
      // Without the token nothing can be tested, so it is asked for first.
      const first = form.tokenStore === "editor" && stored === "" ? "token" : "containers";
      await this.run(client, form, l10n.t("Edit {0}", source.name), first, async (filled) => {
        const before = stored;
        if (filled.tokenStore === "editor") await this.tokens.store(source.id, secret(filled));
        try {
          await client.changeSource(source.id, sourceChange(filled, source));
        } catch (error) {
          if (before === "") await this.tokens.forget(source.id);
          else await this.tokens.store(source.id, before);
          throw error;
        }
      });
    });
  }

  /** Of the given source, or of one that is chosen. */
  setToken(given?: Source): Promise<void> {
    return this.showingFailures(async () => {
      const client = await this.daemon.client();
      if (!isOnThisMachine(client.connection.url)) throw elsewhere();
      const source = given ?? (await this.choose(client, () => true));
      if (source === undefined) return;
      const token = await askToken(source);
      if (token === undefined) return;
      await this.tokens.store(source.id, token);
      void vscode.window.showInformationMessage(l10n.t("Your token for {0} is kept by VS Code.", source.name));
    });
  }

  forgetToken(given?: Source): Promise<void> {
    return this.showingFailures(async () => {
      const stored = await this.tokens.all();
      const source = given ?? (await this.choose(await this.daemon.client(), ({ id }) => stored.has(id)));
      if (source === undefined) return;
      await this.tokens.forget(source.id);
      void vscode.window.showInformationMessage(l10n.t("Your token for {0} is forgotten.", source.name));
    });
  }

  private run(
    client: DaemonClient,
    form: CloudForm,
    title: string,
    first: Step,
    save: (form: CloudForm) => Promise<void>,
  ): Promise<CloudForm | undefined> {
    if (!isOnThisMachine(client.connection.url)) throw elsewhere();
    const host: FormHost = {
      ask: (shown) => askStep(shown, title),
      preview: async (config, token) =>
        whileTesting((signal) => client.previewCloudSource(form.product, config, token, signal)),
      save,
    };
    return runForm(form, host, first);
  }

  private async showAdded(added: Source, form: CloudForm): Promise<void> {
    const message = l10n.t("{0} is being read. The tree of sources shows how far it is.", added.name);
    if (form.tokenStore === "editor" || form.access === "public") {
      void vscode.window.showInformationMessage(message);
      return;
    }
    const set = l10n.t("Set Token");
    const wanted = l10n.t("Your own questions need your own token.");
    if ((await vscode.window.showInformationMessage(`${message} ${wanted}`, set)) === set) await this.setToken(added);
  }

  private async choose(client: DaemonClient, fits: (source: Source) => boolean): Promise<Source | undefined> {
    const sources = (await client.sources()).filter((source) => isCloud(source) && fits(source));
    if (sources.length === 0) {
      throw new RagError("SOURCE_NOT_FOUND", l10n.t("There is no such source of Confluence or Jira."));
    }
    if (sources.length === 1) return sources[0];
    const items = sources.map((source) => ({ label: source.name, description: authOf(source).address, source }));
    return (await vscode.window.showQuickPick(items, { title: l10n.t("Of which source?") }))?.source;
  }

  private async showingFailures(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showFailure(error, this.log);
    } finally {
      this.refresh();
    }
  }
}

/** As it is kept: with the account's e-mail where the API wants one. */
async function askToken(source: Source): Promise<string | undefined> {
  const { kind, email } = authOf(source);
  const title = l10n.t("Your token for {0}", source.name);
  let account = "";
  if (kind === "api_token") {
    const prompt = l10n.t("E-mail of the account that the API token belongs to.");
    const valid = (text: string) =>
      /^[^\s@:,]+@[^\s@:,]+$/.test(text.trim()) ? undefined : l10n.t("Enter an e-mail address.");
    const given = await vscode.window.showInputBox({
      title,
      prompt,
      value: email,
      ignoreFocusOut: true,
      validateInput: valid,
    });
    if (given === undefined) return undefined;
    account = given.trim();
  }
  const token = await vscode.window.showInputBox({
    ...{ title, password: true, ignoreFocusOut: true },
    prompt: l10n.t("VS Code keeps it in its secret storage and sends it to the daemon of this machine only."),
    // An empty field is not scolded before anything was typed.
    validateInput: (text) => (text === "" ? undefined : tokenProblem(text)),
  });
  return token === undefined || token.trim() === "" ? undefined : storedToken(kind, account, token);
}

/** Whether the source is read with what the editor keeps. */
export function readsWithOurToken(source: Source): boolean {
  return authOf(source).reference === FROM_REQUEST;
}

function elsewhere(): RagError {
  return new RagError(
    "VALIDATION_ERROR",
    l10n.t("The daemon runs on another machine, and tokens are sent to a daemon of this machine only."),
    l10n.t("Add the source there, with rag sources add."),
  );
}
