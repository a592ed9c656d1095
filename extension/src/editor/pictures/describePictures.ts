/**
 * "Describe Pictures with the Editor's Model…": a person chooses a model, is told what it will be sent, and agrees, once. From then
 * on every window lends that model to the daemon, until the person stops it. Without an agreement nothing is sent to any model.
 */

import { randomUUID } from "node:crypto";

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { RagError, isCancelled } from "../../core/common/errors";
import type { PictureAgreement } from "../../core/daemon/pictureAgreement";
import { Lending } from "../../core/pictures/lending";
import { requireSight } from "../../core/pictures/sight";
import { signalOf } from "../common/cancellation";
import { showFailure } from "../common/showFailure";
import type { EditorDaemon } from "../daemon/editorDaemon";
import type { AgreementStore } from "../daemon/agreementStore";
import { EditorVisionModel, agreedModel, visionModels } from "./editorVisionModel";

const DAILY = [20, 100, 500, 0];

interface ModelRow extends vscode.QuickPickItem {
  chosen: vscode.LanguageModelChat | "stop" | "resume";
}

export class DescribePictures implements vscode.Disposable {
  readonly lending: Lending;
  private readonly listeners: vscode.Disposable[];
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly daemon: EditorDaemon,
    private readonly store: AgreementStore,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.lending = new Lending({ lender: randomUUID(), daemon, log });
    this.listeners = [
      store.onDidChange(() => this.follow()),
      vscode.lm.onDidChangeChatModels(() => this.lending.retry()),
    ];
    this.follow();
  }

  /** The command. */
  async run(): Promise<void> {
    try {
      const before = await this.store.read();
      const chosen = await this.choose(before);
      if (chosen === undefined) return;
      if (chosen === "stop") await this.stop();
      else if (chosen === "resume") this.lending.retry();
      else await this.agree(chosen, before);
    } catch (error) {
      if (!isCancelled(error)) showFailure(error, this.log);
    }
  }

  /** The command that ends it: nothing is sent from here on. Descriptions that were made stay. */
  async stop(): Promise<void> {
    if ((await this.store.read()) === undefined) {
      void vscode.window.showInformationMessage(l10n.t("No model of the editor describes pictures."));
      return;
    }
    this.lending.stop();
    await this.store.write(undefined);
    void vscode.window.showInformationMessage(
      l10n.t("No picture is sent to the editor's model any more. What it has described stays."),
    );
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
    this.lending.dispose();
  }

  private follow(): void {
    this.running = this.running.then(async () => {
      const agreement = await this.store.read();
      if (agreement === undefined) this.lending.stop();
      else this.lending.start(agreement.name, () => agreedModel(agreement));
    });
  }

  private async choose(before: PictureAgreement | undefined): Promise<ModelRow["chosen"] | undefined> {
    const models = await visionModels();
    if (models.length === 0 && before === undefined) {
      throw new RagError(
        "MODEL_MISSING",
        l10n.t("The editor has no language model that sees pictures."),
        l10n.t(
          "Sign in to GitHub Copilot, or add one by “Chat: Manage Language Models”. Until then pictures are described without a model.",
        ),
      );
    }
    const rows = models.map((model): ModelRow => ({
      label: `$(eye) ${model.name}`,
      description: model.vendor,
      chosen: model,
    }));
    if (before !== undefined) {
      if (this.lending.state.kind === "paused")
        rows.unshift({ label: `$(debug-continue) ${l10n.t("Try {0} again now", before.name)}`, chosen: "resume" });
      rows.unshift({
        label: `$(circle-slash) ${l10n.t("Stop: send no more pictures to {0}", before.name)}`,
        chosen: "stop",
      });
    }
    const row = await vscode.window.showQuickPick(rows, {
      title: l10n.t("Describe Pictures with the Editor's Model"),
      placeHolder: l10n.t("Which model shall describe the pictures of your documents?"),
      matchOnDescription: true,
    });
    return row?.chosen;
  }

  private async agree(model: vscode.LanguageModelChat, before: PictureAgreement | undefined): Promise<void> {
    const server = await this.daemon.server();
    if (server.kind === "setupNeeded") throw new RagError("SETUP_NEEDED", l10n.t("RAG Assistant is not set up yet."));
    const count = await (await this.daemon.client()).pictures.count();
    const maxPerDay = await askDaily();
    if (maxPerDay === undefined) return;
    if (!(await hasConsent(model, count, maxPerDay))) return;
    await this.busy(l10n.t("Showing {0} a test picture", model.name), (signal) =>
      requireSight(new EditorVisionModel(model), signal),
    );
    const agreement = { vendor: model.vendor, id: model.id, name: model.name, maxPerDay };
    await this.busy(l10n.t("Starting the daemon so that {0} describes pictures", model.name), async () => {
      try {
        await this.use(agreement);
      } catch (error) {
        await this.store.write(before);
        throw error;
      }
    });
    const stop = l10n.t("Stop");
    const text = l10n.t("{0} describes pictures from now on, while a window is open.", model.name);
    if ((await vscode.window.showInformationMessage(text, stop)) === stop) await this.stop();
  }

  /** Throws `RagError` where the daemon does not take descriptions of the editor's model. */
  private async use(agreement: PictureAgreement): Promise<void> {
    await this.store.write(agreement);
    await this.daemon.refresh();
    const { pictures } = await this.daemon.client();
    const lender = randomUUID();
    try {
      await pictures.takeLentRequest(lender, AbortSignal.timeout(30_000));
    } catch (error) {
      if (!(error instanceof RagError) || error.code !== "VALIDATION_ERROR") throw error;
      throw new RagError(
        "MODEL_SERVICE",
        l10n.t("The daemon does not take descriptions of the editor's model: {0}", error.message),
        l10n.t("Its settings or a policy name another captions.provider."),
      );
    } finally {
      await pictures.stopLending(lender).catch(() => undefined);
    }
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

async function askDaily(): Promise<number | undefined> {
  const rows = DAILY.map((most) => ({
    label: most === 0 ? l10n.t("No limit") : l10n.t("{0} pictures a day", most),
    most,
  }));
  const row = await vscode.window.showQuickPick(rows, {
    title: l10n.t("Describe Pictures with the Editor's Model"),
    placeHolder: l10n.t("How many pictures may be sent on one day?"),
  });
  return row?.most;
}

/** Says what is sent, to whom, how many, and how to stop it. */
async function hasConsent(model: vscode.LanguageModelChat, count: number, maxPerDay: number): Promise<boolean> {
  const agree = l10n.t("Describe Pictures");
  const detail = [
    l10n.t(
      "What is sent: each picture of your documents, with the words that were read in it and up to 1,200 characters of the text around it; a picture whose answer can't be used is sent once more.",
    ),
    l10n.t(
      "To whom: {0} of “{1}”, by way of the editor. What it costs, and what becomes of it there, is as in the editor's chat.",
      model.name,
      model.vendor,
    ),
    count === 1
      ? l10n.t("How many: 1 picture now, and those of documents that you add later.")
      : l10n.t("How many: {0} pictures now, and those of documents that you add later.", count),
    maxPerDay === 0 ? l10n.t("There is no limit by day.") : l10n.t("At most {0} on one day.", maxPerDay),
    l10n.t("To stop: run “RAG Assistant: Stop Describing Pictures with the Editor's Model”, at any time."),
  ].join("\n\n");
  const title = l10n.t("Let {0} describe the pictures of your documents?", model.name);
  return (await vscode.window.showInformationMessage(title, { modal: true, detail }, agree)) === agree;
}
