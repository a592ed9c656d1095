/** The chat webview: takes the extension's messages and brings its parts up to date. */

import * as l10n from "@vscode/l10n";

import type { Choices, PanelDaemonState, MessageToWebview, ToWebview } from "../../src/protocol/chat";
import { h } from "../shared/dom";

import { Composer } from "./composer/composer";
import { retrySections } from "./composer/options";
import { SavedStateStore } from "./composer/savedState";
import { Announcer } from "./controls/announcer";
import { iconButton } from "./controls/controls";
import { History } from "./history/history";
import { DropZone } from "./ingest/dropZone";
import { IngestCards } from "./ingest/ingestCards";
import { Conversation, type ConversationContext } from "./messages/conversation";
import { applyUpdate, running, type AnswerUpdate } from "./messages/sessionState";
import { Images } from "./passages/images";
import { SetupScreen, daemonBanner } from "./setup/setupScreen";
import { welcome } from "./setup/welcome";
import type { AskOptions, ChatHost, Session } from "./types";

export class ChatApp {
  private session: Session;
  private daemon: PanelDaemonState;
  private choices: Choices | null;
  private readonly saved: SavedStateStore;
  private readonly live = new Announcer();
  private readonly images: Images;
  private readonly screen: SetupScreen;
  private readonly history: History;
  private readonly conversation: Conversation;
  private readonly ingests: IngestCards;
  private readonly composer: Composer;
  private readonly banner = h("div", { class: "banner-place" });
  private readonly chat: HTMLElement;

  constructor(
    private readonly host: ChatHost,
    root: HTMLElement,
    init: ToWebview["init"],
  ) {
    const send: ChatHost["send"] = (type, payload) => host.send(type, payload);
    this.session = init.session;
    this.daemon = init.daemon;
    this.choices = init.choices;
    this.saved = new SavedStateStore(host);
    this.images = new Images(send);
    this.screen = new SetupScreen(send, this.live);
    this.history = new History(send, init.language);
    this.ingests = new IngestCards(send, this.live);
    this.conversation = new Conversation(this.conversationContext(), this.live);
    this.composer = this.newComposer(init.language);
    const fresh = iconButton("add", l10n.t("New chat"), () => send("session.new", {}));
    this.chat = h(
      "div",
      { class: "chat" },
      h(
        "header",
        { class: "top" },
        h("h1", { class: "unseen" }, l10n.t("RAG Assistant chat")),
        this.history.element,
        fresh,
      ),
      this.conversation.element,
      h("div", { class: "bottom" }, this.ingests.element, this.banner, this.composer.element),
    );
    const drop = this.newDropZone();
    root.replaceChildren(this.screen.element, this.chat, this.live.element, drop.element);
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing && running(this.session)) this.stop();
    });
    // Opened by a key or a command, the editor gives the focus to the page; who opens the chat wants to type.
    window.addEventListener("focus", () => {
      if (document.activeElement === document.body && !this.chat.hidden) this.composer.focus();
    });
    this.begin(init);
  }

  receive(message: MessageToWebview): void {
    switch (message.type) {
      case "init":
        this.begin(message);
        break;
      case "daemon":
        this.daemon = message.daemon;
        this.showDaemon();
        this.conversation.refreshWelcome(this.session);
        break;
      case "choices":
        this.choices = message.choices;
        this.composer.show(this.choices, this.composer.options);
        break;
      case "session":
        this.showSession(message.session);
        this.showDaemon();
        if (!this.chat.hidden) this.composer.focus();
        break;
      case "sessions":
        this.history.show(message.text, message.rows);
        break;
      case "answer.started":
      case "answer.retrieval":
      case "answer.delta":
      case "answer.restart":
      case "answer.ended":
      case "feedback":
        this.update(message);
        break;
      case "ingest":
        this.ingests.show(message.ingest);
        break;
      case "typed.found":
        this.composer.typeahead.show(message);
        break;
      case "image":
        this.images.loaded(message);
        break;
      case "note":
        this.live.note(message.text);
        break;
      case "compose":
        this.composer.text = message.text;
        this.composer.focus();
        if (message.send) this.composer.submit();
        break;
      case "history.show":
        this.history.open();
        break;
    }
  }

  private begin(init: ToWebview["init"]): void {
    this.daemon = init.daemon;
    this.choices = init.choices;
    for (const ingest of init.ingests) this.ingests.show(ingest);
    this.showSession(init.session);
    this.showDaemon();
  }

  private update(update: AnswerUpdate): void {
    if (!applyUpdate(this.session, update)) return;
    this.conversation.changed(this.session, update);
    if (update.type === "answer.started") {
      this.history.setCurrent(this.session.id, this.session.title);
      this.showDaemon();
    }
    if (update.type !== "answer.delta") this.composer.setRunning(running(this.session) !== undefined);
  }

  private showSession(session: Session): void {
    this.session = session;
    this.history.setCurrent(session.id, session.title);
    this.conversation.show(session);
    this.composer.show(this.choices, this.saved.options(session.id));
    this.composer.text = this.saved.draft(session.id);
    this.composer.setRunning(running(session) !== undefined);
  }

  /** A conversation stays in sight when the daemon goes away; without one, its state fills the webview. */
  private showDaemon(): void {
    const whole = this.daemon.kind !== "ready" && (this.daemon.kind === "setup" || this.session.messages.length === 0);
    this.screen.element.hidden = !whole;
    this.chat.hidden = whole;
    this.banner.replaceChildren();
    if (whole) this.screen.show(this.daemon);
    else {
      const banner = daemonBanner(this.daemon, (type, payload) => this.host.send(type, payload));
      if (banner) this.banner.append(banner);
    }
  }

  private ask(text: string, options: AskOptions, replaces?: string): void {
    const question = { sessionId: this.session.id, text, options };
    this.host.send("ask", replaces === undefined ? question : { ...question, replaces });
  }

  private stop(): void {
    this.host.send("stop", { sessionId: this.session.id });
  }

  private pick(folders: boolean): void {
    this.host.send("ingest.pick", { folders, ...this.collection() });
  }

  private collection(): { collection?: string } {
    const { collection } = this.composer.options;
    return collection === undefined || collection === "" ? {} : { collection };
  }

  private newComposer(language: string): Composer {
    return new Composer(
      {
        ask: (text, options) => this.ask(text, options),
        stop: () => this.stop(),
        typed: (typed) => this.host.send("typed", typed),
        open: (chunkId) => this.host.send("typed.open", { chunkId }),
        say: (text) => this.live.say(text),
        pick: (folders) => this.pick(folders),
        editLast: () => this.conversation.editLast(this.session),
        draftChanged: (text) => this.saved.setDraft(this.session.id, text),
        optionsChanged: (options) => this.saved.setOptions(this.session.id, options),
      },
      language,
    );
  }

  private newDropZone(): DropZone {
    return new DropZone({
      enabled: () => this.daemon.kind === "ready",
      uris: (uris) => this.host.send("ingest.uris", { uris, ...this.collection() }),
      file: (file) => this.host.send("ingest.file", { ...file, ...this.collection() }),
      refuse: (reason) => this.live.note(reason),
    });
  }

  private conversationContext(): ConversationContext {
    const { host } = this;
    const here = (messageId: string) => ({ sessionId: this.session.id, messageId });
    return {
      images: this.images,
      send: (type, payload) => host.send(type, payload),
      copy: (text) => host.send("code.copy", { text }),
      resend: (message, text) => this.ask(text, message.options, message.id),
      copyCode: (text) => host.send("code.copy", { text }),
      insertCode: (text) => host.send("code.insert", { text }),
      copyAnswer: (messageId) => host.send("answer.copy", here(messageId)),
      retry: (messageId, options) => host.send("retry", { ...here(messageId), options }),
      retryChoices: (message, retry) =>
        this.choices ? retrySections(message, this.choices, this.composer.options, retry) : [],
      feedback: (messageId, verdict) => host.send("feedback", { ...here(messageId), verdict }),
      openCitation: (messageId, citationId) => host.send("citation.open", { ...here(messageId), citationId }),
      openLink: (href) => host.send("link.open", { href }),
      welcome: () => welcome(this.daemon, (folders) => this.pick(folders)),
    };
  }
}
