/** The messages of a session, and where the webview is scrolled to. */

import * as l10n from "@vscode/l10n";

import type { Citation } from "../../../src/core/api/types";
import { h } from "../../shared/dom";

import type { Announcer } from "../controls/announcer";
import { iconButton } from "../controls/controls";
import type { Images } from "../passages/images";
import { PassageCard } from "../passages/passageCard";
import type { Message, Session } from "../types";
import { AssistantMessageView, isRunning, type AnswerContext } from "./assistantMessage";
import type { AnswerUpdate } from "./sessionState";
import { UserMessageView, type UserActions } from "./userMessage";

/** This near to the end counts as at the end. */
const NEAR_END = 24;

export interface ConversationContext extends UserActions, Omit<AnswerContext, "drawn" | "images" | "open"> {
  images: Images;
  openCitation(messageId: string, citationId: number): void;
  openLink(href: string): void;
  /** What stands where no question was asked yet. */
  welcome(): HTMLElement;
}

export class Conversation {
  readonly element = h("main", { class: "conversation", "aria-label": l10n.t("Conversation"), tabindex: -1 });
  private readonly messages = h("div", { class: "messages" });
  private readonly jump: HTMLElement;
  private readonly answers = new Map<string, AssistantMessageView>();
  private readonly questions = new Map<string, UserMessageView>();
  private pinned = true;
  private top = 0;
  private readonly card: PassageCard;

  constructor(
    private readonly context: ConversationContext,
    private readonly live: Announcer,
  ) {
    this.jump = iconButton("arrowDown", l10n.t("Jump to the end"), () => this.toEnd(), { class: "jump", hidden: true });
    this.element.append(this.messages, this.jump);
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    // Pictures, drawings and colours come later than their text, and the composer grows.
    const sizes = new ResizeObserver(() => this.follow());
    sizes.observe(this.element);
    sizes.observe(this.messages);
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.card = new PassageCard(this.element, (chip) => this.citationOf(chip), context.images);
  }

  show(session: Session): void {
    this.card.hide();
    this.answers.clear();
    this.questions.clear();
    this.messages.replaceChildren();
    this.append(session.messages);
    this.toEnd();
  }

  /** After `applyUpdate` has changed the session. */
  changed(session: Session, update: AnswerUpdate): void {
    if (update.type === "answer.started") {
      this.started(session, update.keep);
      return;
    }
    const id = update.type === "answer.ended" ? update.message.id : update.messageId;
    const view = this.answers.get(id);
    const message = session.messages.find((other) => other.id === id);
    if (view === undefined || message?.role !== "assistant") return;
    switch (update.type) {
      case "answer.retrieval":
        view.retrieved(message);
        this.live.say(l10n.t("{0} passages found. Writing the answer…", update.citations.length));
        break;
      case "answer.delta":
        view.delta(update.text);
        break;
      case "answer.restart":
        view.restart();
        break;
      case "answer.ended":
        view.ended(message);
        this.live.say(endedText(message));
        break;
      case "feedback":
        view.update();
        this.live.say(
          update.feedback ? l10n.t("Thank you. Your judgement was kept.") : l10n.t("Your judgement was withdrawn."),
        );
        break;
    }
    this.follow();
  }

  editLast(session: Session): void {
    const last = session.messages.findLast((message) => message.role === "user");
    const view = last && this.questions.get(last.id);
    if (!view) return;
    // The end of a long answer is no longer what is looked at.
    this.pinned = false;
    view.edit();
    view.element.scrollIntoView({ block: "nearest" });
  }

  /** Put what stands for an empty conversation anew. */
  refreshWelcome(session: Session): void {
    if (session.messages.length === 0) this.messages.replaceChildren(this.context.welcome());
  }

  private started(session: Session, keep: number): void {
    const kept = new Set(session.messages.slice(0, keep).map((message) => message.id));
    for (const child of [...this.messages.children]) {
      const id = (child as HTMLElement).dataset["message"];
      if (id !== undefined && kept.has(id)) continue;
      child.remove();
      if (id === undefined) continue;
      this.answers.delete(id);
      this.questions.delete(id);
    }
    this.append(session.messages, keep);
    this.live.say(l10n.t("Searching…"));
    this.toEnd();
  }

  private append(messages: readonly Message[], from = 0): void {
    if (messages.length === 0) this.messages.append(this.context.welcome());
    messages.slice(from).forEach((message, index, shown) => {
      if (message.role === "user") {
        const view = new UserMessageView(message, this.context);
        this.questions.set(message.id, view);
        this.messages.append(view.element);
        return;
      }
      const open = (citationId: number) => this.context.openCitation(message.id, citationId);
      const context = { ...this.context, open, drawn: () => this.follow() };
      const view = new AssistantMessageView(message, context, index === shown.length - 1);
      this.answers.set(message.id, view);
      this.messages.append(view.element);
    });
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const link = target.closest("a");
    if (link) {
      // The editor's own listener would open the link once more.
      event.preventDefault();
      event.stopPropagation();
      this.context.openLink(link.href);
      return;
    }
    const chip = target.closest<HTMLElement>("[data-citation]");
    const message = chip?.closest<HTMLElement>("[data-message]");
    if (chip && message) this.context.openCitation(message.dataset["message"] ?? "", Number(chip.dataset["citation"]));
  }

  private citationOf(chip: HTMLElement): Citation | undefined {
    const message = chip.closest<HTMLElement>("[data-message]")?.dataset["message"];
    return this.answers.get(message ?? "")?.citation(Number(chip.dataset["citation"]));
  }

  private scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    const near = scrollHeight - scrollTop - clientHeight < NEAR_END;
    // Only somebody who scrolls up leaves the end: growth alone moves the end away, not the reader.
    if (near || scrollTop < this.top) this.pinned = near;
    this.top = scrollTop;
    this.jump.hidden = this.pinned;
  }

  private follow(): void {
    if (this.pinned) this.element.scrollTop = this.element.scrollHeight;
  }

  private toEnd(): void {
    this.pinned = true;
    this.jump.hidden = true;
    this.follow();
  }
}

function endedText(message: Extract<Message, { role: "assistant" }>): string {
  if (isRunning(message)) return "";
  if (message.state === "failed") return l10n.t("The answer failed: {0}", message.error?.message ?? "");
  if (message.state === "stopped") return l10n.t("Stopped.");
  return l10n.t("The answer is complete.");
}
