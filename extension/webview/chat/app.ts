/** The chat webview: takes the extension's messages and brings its parts up to date. */

import * as l10n from "@vscode/l10n";

import type { Choices, Guide, PanelDaemonState, MessageToWebview, ToWebview } from "../../src/protocol/chat";
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
import { applyUpdate, firstWithoutModel, running, type AnswerUpdate } from "./messages/sessionState";
import { Images } from "./passages/images";
import { SetupScreen, daemonBanner } from "./setup/setupScreen";
import { guideView } from "./setup/guideView";
import { welcome } from "./setup/welcome";
import type { AskOptions, ChatHost, Session } from "./types";

const LONGEST_KEY = 10_000;

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
  private guide: Guide | null = null;
  private guideKey = "";
  private readonly banner = h("div", { class: "banner-place" });
  private readonly header: HTMLElement;
  private readonly bottom: HTMLElement;

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
    const title = h("h1", { class: "unseen" }, l10n.t("RAG Assistant chat"));
    this.header = h("header", { class: "top" }, title, this.history.element, fresh);
    this.bottom = h("div", { class: "bottom" }, this.ingests.element, this.banner, this.composer.element);
    const parts = [this.header, this.screen.element, this.conversation.element, this.bottom];
    const drop = this.newDropZone();
    root.replaceChildren(h("div", { class: "chat" }, ...parts), this.live.element, drop.element);
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing && running(this.session)) this.stop();
    });
    window.addEventListener("focus", () => this.focus());
    this.begin(init);
  }

  /** Opened by a key or a command, the editor gives the focus to the page; who opens the chat wants to type. */
  focus(): void {
    if (document.activeElement === document.body && !this.bottom.hidden) this.composer.focus();
  }

  receive(message: MessageToWebview): void {
    switch (message.type) {
      case "init":
        this.begin(message);
        break;
      case "daemon":
        this.daemon = message.daemon;
        this.showDaemon();
        this.askForGuide();
        this.conversation.refreshWelcome(this.session);
        break;
      case "choices":
        this.choices = message.choices;
        this.composer.show(this.choices, this.composer.options);
        break;
      case "session":
        this.showSession(message.session);
        this.showDaemon();
        if (!this.bottom.hidden) this.composer.focus();
        break;
      case "session.title":
        if (message.sessionId !== this.session.id) break;
        this.session.title = message.title;
        this.history.setCurrent(message.sessionId, message.title);
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
        if (message.send) this.composeAndSend(message.text);
        else this.composer.text = message.text;
        this.composer.focus();
        break;
      case "guide":
        if (message.key !== this.guideKey) break;
        this.guide = message.guide;
        this.conversation.refreshWelcome(this.session);
        break;
      case "scope":
        this.composer.askAbout(message.scope, message.add, message.attachments);
        this.askForGuide();
        this.composer.focus();
        break;
      case "history.show":
        this.header.hidden = false;
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
    const wasNew = this.session.messages.length === 0;
    if (!applyUpdate(this.session, update)) return;
    if (wasNew && this.session.messages.length > 0) this.saved.began(this.session.id);
    this.saved.shown(this.session);
    this.conversation.changed(this.session, update);
    if (update.type === "answer.started") {
      this.history.setCurrent(this.session.id, this.session.title);
      this.showDaemon();
    }
    if (update.type !== "answer.delta") this.composer.setRunning(running(this.session) !== undefined);
  }

  private showSession(session: Session): void {
    this.keepDraftFor(session);
    this.session = session;
    this.saved.shown(session);
    this.history.setCurrent(session.id, session.title);
    this.conversation.show(session);
    this.composer.show(this.choices, this.optionsOf(session));
    this.composer.text = this.saved.draft(session);
    this.composer.setRunning(running(session) !== undefined);
    this.askForGuide();
  }

  /** What was chosen in this window; else what the chat's last question was about, which is kept with the chat. */
  private optionsOf(session: Session): AskOptions {
    const kept = this.saved.options(session);
    const scope = session.messages.findLast((message) => message.role === "user")?.options.scope;
    return kept.scope === undefined && scope !== undefined ? { ...kept, scope } : kept;
  }

  /** Who begins a new chat with a question half written wants to ask it there. */
  private keepDraftFor(next: Session): void {
    const draft = this.saved.draft(this.session);
    if (next.messages.length > 0 || this.session.messages.length === 0 || draft === "") return;
    if (this.saved.draft(next) !== "") return;
    this.saved.setDraft(next, draft);
    this.saved.setDraft(this.session, "");
  }

  /** Chats can be read whatever the daemon does; its state fills the webview only where it needs somebody and no chat is shown. */
  private showDaemon(): void {
    const { kind } = this.daemon;
    const isNew = this.session.messages.length === 0;
    const whole = isNew && (kind === "setup" || kind === "attention");
    this.screen.element.hidden = !whole;
    this.header.hidden = isNew && kind === "setup";
    this.conversation.element.hidden = this.bottom.hidden = whole;
    this.banner.replaceChildren();
    if (whole) this.screen.show(this.daemon);
    else {
      const banner = daemonBanner(this.daemon, (type, payload) => this.host.send(type, payload));
      if (banner) this.banner.append(banner);
    }
  }

  private composeAndSend(text: string): void {
    this.composer.text = text;
    this.composer.submit();
  }

  /** Before the first question: what the chosen documents are about. Asked for again when these, or their number, differ. */
  private askForGuide(): void {
    if (this.session.messages.length > 0 || this.daemon.kind !== "ready" || this.daemon.documents === 0) return;
    const scope = this.composer.options.scope ?? [];
    // While many are read, their number changes all the time: it counts when it has doubled.
    const size = Math.floor(Math.log2(this.daemon.documents));
    const key = JSON.stringify([size, scope.map(({ kind, id }) => [kind, id])]).slice(0, LONGEST_KEY);
    if (key === this.guideKey) return;
    this.guideKey = key;
    this.guide = null;
    this.host.send("guide.load", { key, scope });
  }

  private guideView(): HTMLElement[] {
    return this.guide ? guideView(this.guide, (text) => this.composeAndSend(text)) : [];
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
        chooseScope: (scope) => this.host.send("scope.choose", { scope }),
        addModel: () => this.host.send("problem.action", { command: "ragAssistant.addModel" }),
        editLast: () => this.conversation.editLast(this.session),
        draftChanged: (text) => this.saved.setDraft(this.session, text),
        optionsChanged: (options) => {
          this.saved.setOptions(this.session, options);
          this.askForGuide();
        },
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
      saysNoModel: (message) => firstWithoutModel(this.session) === message.id,
      copyAnswer: (messageId) => host.send("answer.copy", here(messageId)),
      retry: (messageId, options) => host.send("retry", { ...here(messageId), options }),
      retryChoices: (message, retry) =>
        this.choices ? retrySections(message, this.choices, this.composer.options, retry) : [],
      feedback: (messageId, verdict, comment) =>
        host.send("feedback", { ...here(messageId), verdict, ...(comment === undefined ? {} : { comment }) }),
      openCitation: (messageId, citationId) => host.send("citation.open", { ...here(messageId), citationId }),
      openLink: (href) => host.send("link.open", { href }),
      welcome: () => welcome(this.daemon, (folders) => this.pick(folders), this.guideView()),
      followUp: (text) => this.composeAndSend(text),
    };
  }
}
