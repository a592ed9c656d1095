/** Every message of the chat webview and what it does. Knows nothing of the editor: what it needs of it comes through `PanelHost`. */

import { isAbsolute, resolve } from "node:path";

import * as l10n from "@vscode/l10n";

import type { Guide, PanelDaemonState, MessageToExtension, MessageToWebview, ToExtension } from "../../protocol/chat";
import type { AttachedText, ScopeItem } from "../../protocol/session";
import type { ProblemCommand } from "../../protocol/setup";
import { RagError, isCancelled } from "../common/errors";
import type { Log } from "../common/log";
import type { DaemonService } from "../daemon/status";
import type { PanelIngests } from "../ingest/panelIngests";
import { UploadBatches } from "../ingest/uploadBatches";
import type { PlaceOpener } from "../places/placeOpener";
import { describe, logFailure } from "../problems/failures";
import { answerOf } from "../sessions/sessionChanges";
import { answerMarkdown } from "../sessions/sessionText";
import type { SetupService } from "../setup/setupService";
import type { ChoiceLoader } from "./choices";
import type { Conversations } from "./conversations";
import { panelDaemonState } from "./daemonState";
import { submitFeedback } from "./feedback";
import { loadGuide } from "./guides";
import type { Images } from "./images";
import { checked } from "./messageChecks";
import type { Outbox } from "./outbox";
import { Typeahead } from "./typeahead";

/** What only the editor can do. */
export interface PanelHost {
  readonly language: string;
  readonly translations: Record<string, string>;
  copy(text: string): Promise<void>;
  insert(text: string): Promise<void>;
  openLink(href: string): Promise<void>;
  openSettings(query: string): Promise<void>;
  /** What people tick of all that can be asked; undefined when they left it as it was. */
  chooseScope(scope: ScopeItem[]): Promise<ScopeItem[] | undefined>;
  run(command: ProblemCommand): Promise<void>;
  /** Paths of chosen files or folders; none when nothing was chosen. */
  pick(folders: boolean): Promise<string[]>;
  /** The path of a file or folder on the machine where the extension runs; undefined for anything else. */
  pathOf(uri: string): string | undefined;
}

export interface Parts {
  daemon: Pick<DaemonService, "client" | "live" | "status">;
  setup: Pick<SetupService, "progress" | "run" | "cancel" | "choosePython">;
  places: PlaceOpener;
  conversations: Conversations;
  ingests: PanelIngests;
  images: Images;
  choices: ChoiceLoader;
  host: PanelHost;
  log: Log;
}

type Payload<Type extends keyof ToExtension> = Extract<MessageToExtension, { type: Type }>;

export class ChatController {
  private readonly batches = new UploadBatches();
  private readonly typeahead: Typeahead;
  private lastSearch = "";

  constructor(
    private readonly parts: Parts,
    private readonly outbox: Outbox,
  ) {
    const { conversations, daemon } = parts;
    this.typeahead = new Typeahead(
      daemon,
      (text) => conversations.asked(text),
      (found) => outbox.send({ type: "typed.found", ...found }),
    );
  }

  /** Never rejects: what goes wrong is said in the webview and in the log. */
  handle(message: unknown): Promise<void> {
    return this.guard(() => this.act(checked(message)));
  }

  /** Another window or tab has gone on with the chat, or may have: the webview is looked at again. */
  refresh(): Promise<void> {
    return this.guard(() => this.parts.conversations.refresh());
  }

  /** Sends the daemon's status to the webview. */
  sendDaemonState(): void {
    this.outbox.send({ type: "daemon", daemon: this.panelDaemonState() });
  }

  /** To a webview whose page is loading: it need not ask first. */
  sendAhead(): void {
    this.outbox.sendAhead(this.whole());
  }

  /** Whether the daemon waits for somebody: to set it up, or to see to what went wrong. */
  needsSomebody(): boolean {
    const { kind } = this.panelDaemonState();
    return kind === "setup" || kind === "attention";
  }

  startNew(): void {
    this.parts.conversations.startNew();
  }

  showHistory(): void {
    this.outbox.sendWhenReady({ type: "history.show" });
  }

  /** The next question is about these, too, with these texts beside it. */
  askAbout(scope: ScopeItem[], attachments: AttachedText[]): void {
    this.outbox.sendWhenReady({ type: "scope", scope, add: true, attachments });
  }

  askOnly(scope: ScopeItem[]): void {
    this.outbox.sendWhenReady({ type: "scope", scope, add: false, attachments: [] });
  }

  compose(text: string, send: boolean): void {
    this.outbox.sendWhenReady({ type: "compose", text, send });
  }

  private async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isCancelled(error)) return;
      logFailure(this.parts.log, "The panel could not do what was asked", error);
      const { message: text, advice } = describe(error);
      this.outbox.send({ type: "note", text: advice ? `${text} ${advice}` : text });
    }
  }

  private async act(message: MessageToExtension): Promise<void> {
    const { conversations, host, ingests, places, setup } = this.parts;
    switch (message.type) {
      case "ready":
        return this.begin(message.drawn === true);
      case "setup.start":
        await setup.run();
        return;
      case "setup.cancel":
        setup.cancel();
        return;
      case "setup.choosePython":
        return setup.choosePython();
      case "problem.action":
        return host.run(message.command);
      case "ask":
        return conversations.ask(
          message.sessionId,
          message.text,
          this.parts.choices.complete(message.options),
          message.replaces,
        );
      case "stop":
        return conversations.stop(message.sessionId);
      case "typed":
        return this.typeahead.typed({ ...message, options: this.parts.choices.complete(message.options) });
      case "typed.open":
        return places.open(this.typeahead.citation(message.chunkId));
      case "retry":
        return conversations.retry(message.sessionId, message.messageId, this.parts.choices.complete(message.options));
      case "session.new":
        conversations.startNew();
        return;
      case "session.open":
        return conversations.show(message.sessionId);
      case "session.delete":
        return this.delete(message.sessionId);
      case "session.rename":
        await conversations.rename(message.sessionId, message.title);
        return conversations.search(this.lastSearch);
      case "session.pin":
        await conversations.pin(message.sessionId, message.pinned);
        return conversations.search(this.lastSearch);
      case "session.search":
        this.lastSearch = message.text;
        return conversations.search(message.text);
      case "ingest.pick":
        return this.addPaths(await host.pick(message.folders), message.collection);
      case "ingest.uris":
        return this.addUris(message);
      case "ingest.file":
        return this.addFile(message);
      case "ingest.cancel":
        this.batches.drop(message.id);
        return ingests.cancel(message.id);
      case "citation.open":
        return this.openCitation(message);
      case "image.load":
        return this.loadImage(message);
      case "image.open":
        return places.openImage(message.assetId, message.title);
      case "code.copy":
        return host.copy(message.text);
      case "code.insert":
        return host.insert(message.text);
      case "answer.copy":
        return host.copy(
          answerMarkdown(answerOf(await conversations.get(message.sessionId), message.messageId).answer),
        );
      case "feedback":
        return this.giveFeedback(message);
      case "link.open":
        return host.openLink(message.href);
      case "guide.load":
        return this.loadGuide(message);
      case "scope.choose": {
        const scope = await host.chooseScope(message.scope);
        if (scope) this.outbox.send({ type: "scope", scope, add: false, attachments: [] });
        return;
      }
      case "scope.add":
        return this.addScope(message);
      case "settings.open":
        return host.openSettings(message.query);
      case "webview.error":
        this.parts.log.error(`The chat view: ${message.message}\n${message.stack}`);
    }
  }

  /** `drawn`: the webview shows what was sent ahead. */
  private async begin(drawn: boolean): Promise<void> {
    const { choices, conversations, ingests } = this.parts;
    for (const id of this.batches.dropAll()) {
      ingests.refuse(
        id,
        new RagError("CANCELLED", l10n.t("The panel was closed before the files had come in. Drop them again.")),
      );
    }
    await conversations.restore();
    this.outbox.open(drawn ? undefined : this.whole());
    await choices.refresh();
  }

  /** All that the webview shows. */
  private whole(): MessageToWebview {
    const { choices, conversations, host, ingests } = this.parts;
    return {
      type: "init",
      text: host.translations,
      language: host.language,
      daemon: this.panelDaemonState(),
      session: conversations.whole(),
      choices: choices.choices,
      ingests: ingests.statuses(),
    };
  }

  private panelDaemonState(): PanelDaemonState {
    const { choices, daemon, setup } = this.parts;
    const known = choices.choices?.collections.reduce((sum, { document_count }) => sum + document_count, 0);
    return panelDaemonState(daemon.status, setup.progress, daemon.live?.counts.documents ?? known);
  }

  private async delete(id: string): Promise<void> {
    const { conversations } = this.parts;
    await conversations.delete(id);
    await conversations.search(this.lastSearch);
  }

  private async addPaths(paths: string[], collection: string | undefined): Promise<void> {
    if (paths.length > 0) await this.parts.ingests.addPaths(paths, this.target(collection));
  }

  private async addScope({ scope }: Payload<"scope.add">): Promise<void> {
    const paths = scope.flatMap(({ kind, id }) => (kind === "folder" && isAbsolute(id) ? [resolve(id)] : []));
    const collection = scope.find(({ kind }) => kind === "collection")?.id;
    await this.addPaths(paths.length > 0 ? paths : await this.parts.host.pick(true), collection);
  }

  private async addUris({ uris, collection }: Payload<"ingest.uris">): Promise<void> {
    const paths = uris.flatMap((uri) => this.parts.host.pathOf(uri) ?? []);
    if (paths.length < uris.length) {
      this.outbox.send({ type: "note", text: l10n.t("Only files and folders of this machine can be added.") });
    }
    await this.addPaths(paths, collection);
  }

  private async addFile(message: Payload<"ingest.file">): Promise<void> {
    const { ingests } = this.parts;
    const { batch, collection } = message;
    // The rest of what was cancelled or refused is still on its way.
    if (ingests.isOver(batch)) return;
    const target = this.target(collection);
    try {
      const files = this.batches.add(message);
      if (files) await ingests.addFiles(batch, files, target);
      else ingests.announce(batch, this.batches.names(batch), target);
    } catch (error) {
      ingests.announce(batch, [message.name], target);
      ingests.refuse(batch, describe(error));
    }
  }

  /** Where documents go: as chosen in the composer, as the chat was asked last, as set. */
  private target(chosen: string | undefined): string {
    const last = this.parts.conversations.current().messages.findLast((message) => message.role === "user");
    return chosen || last?.options.collection || this.parts.choices.complete({}).collection || "default";
  }

  /** A guide is a help: where it can't be had, none is shown, and the log says why. */
  private async loadGuide({ key, scope }: Payload<"guide.load">): Promise<void> {
    const send = (guide: Guide | null) => this.outbox.send({ type: "guide", key, guide });
    try {
      await loadGuide(this.parts.daemon, scope, this.parts.choices.complete({}).collection, send);
    } catch (error) {
      logFailure(this.parts.log, "No guide could be had", error);
      send(null);
    }
  }

  private async openCitation({ sessionId, messageId, citationId }: Payload<"citation.open">): Promise<void> {
    const { answer } = answerOf(await this.parts.conversations.get(sessionId), messageId);
    const citation = answer.citations.find(({ id }) => id === citationId);
    if (!citation) throw new RagError("CITATION_GONE", l10n.t("This answer has no passage {0}.", citationId));
    await this.parts.places.open(citation);
  }

  private async loadImage({ assetId, variant }: Payload<"image.load">): Promise<void> {
    try {
      const bytes = await this.parts.images.load(assetId, variant);
      this.outbox.send({ type: "image", assetId, variant, bytes, problem: "" });
    } catch (error) {
      logFailure(this.parts.log, "A picture could not be loaded", error);
      this.outbox.send({ type: "image", assetId, variant, bytes: null, problem: describe(error).message });
    }
  }

  private async giveFeedback(message: Payload<"feedback">): Promise<void> {
    const { sessionId, messageId } = message;
    try {
      const feedback = await submitFeedback(this.parts.daemon, this.parts.conversations, message);
      this.outbox.send({ type: "feedback", sessionId, messageId, feedback });
    } catch (error) {
      // The webview may show already what was clicked.
      const { answer } = answerOf(await this.parts.conversations.get(sessionId), messageId);
      this.outbox.send({ type: "feedback", sessionId, messageId, feedback: answer.feedback ?? null });
      throw error;
    }
  }
}
