/** An answer: its text as it comes, then its pictures and passages, then what can be done with it. */

import * as l10n from "@vscode/l10n";

import { emptyScopeText } from "../../../src/protocol/emptyScope";
import { leftOut, withoutRepeats } from "../../../src/protocol/leftOut";
import { noModelText } from "../../../src/protocol/noModel";
import type { ProblemCommand } from "../../../src/protocol/setup";
import { h } from "../../shared/dom";
import { StreamedMarkdown } from "../../shared/stream";

import { noticeLine, problemBox, spinner, textButton } from "../controls/controls";
import { answerPictures } from "../passages/answerPictures";
import { insertChips } from "../passages/citationChips";
import type { Images } from "../passages/images";
import { passageStrip, type PassageContext } from "../passages/passageStrip";
import { markUnsupported } from "../passages/supportMarks";
import { questionButtons } from "../setup/guideView";
import type { AssistantMessage, Send } from "../types";
import { footer, type FooterActions } from "./answerFooter";
import { emptyScopeOf } from "./sessionState";

export interface AnswerContext extends PassageContext, FooterActions {
  images: Images;
  send: Send;
  /** Whether this answer is the one that says that there is no language model: the first of its chat that had none. */
  saysNoModel(message: AssistantMessage): boolean;
  followUp(text: string): void;
  insertCode(text: string): void;
  copyCode(text: string): void;
  /** The height has changed. */
  drawn(): void;
}

export class AssistantMessageView {
  readonly element: HTMLElement;
  private readonly progress = h("p", { class: "progress-line" });
  private readonly passages = h("div", { class: "passages-place" });
  private readonly pictures = h("div", { class: "pictures-place" });
  private readonly notices = h("div", { class: "notices" });
  private readonly end = h("div", { class: "answer-end" });
  private readonly markdown: StreamedMarkdown;
  private shownPassages = "";
  private shownPictures = "";

  constructor(
    private message: AssistantMessage,
    private readonly context: AnswerContext,
    private readonly unfolded: boolean,
  ) {
    this.markdown = this.newMarkdown();
    this.element = h(
      "article",
      {
        class: "message assistant",
        "data-testid": "message-assistant",
        "data-message": message.id,
        "aria-label": l10n.t("Answer"),
      },
      this.notices,
      this.markdown.element,
      this.progress,
      this.pictures,
      this.passages,
      this.end,
    );
    this.markdown.push(message.text);
    this.showPassages();
    this.update();
  }

  citation(id: number): AssistantMessage["citations"][number] | undefined {
    return this.message.citations.find((citation) => citation.id === id);
  }

  /** The passages have come. */
  retrieved(message: AssistantMessage): void {
    this.message = message;
    this.showPassages();
    this.update();
  }

  delta(text: string): void {
    if (this.progress.childElementCount > 0) this.progress.replaceChildren();
    this.element.dataset["state"] = "answering";
    this.markdown.push(text);
  }

  restart(): void {
    this.markdown.replace("");
  }

  ended(message: AssistantMessage): void {
    this.message = message;
    this.markdown.replace(message.text);
    this.showPassages();
    this.update();
  }

  /** State, notices and what stands below, by the message as it is. */
  update(): void {
    const { message } = this;
    const waits = message.state === "searching" || (message.state === "answering" && message.text === "");
    this.element.dataset["state"] = message.state;
    this.element.setAttribute("aria-busy", String(isRunning(message)));
    const doing = message.state === "searching" ? l10n.t("Searching…") : l10n.t("Writing the answer…");
    this.progress.replaceChildren(...(waits ? [spinner(), h("span", {}, doing)] : []));
    const notices = withoutRepeats(message.notices, message.retrieval?.effective.live);
    this.notices.replaceChildren(...notices.map((text) => noticeLine(text)), ...this.liveLine());
    if (isRunning(message)) {
      this.end.replaceChildren();
      return;
    }
    void this.markdown.finish().then(() => {
      if (message !== this.message) return;
      markUnsupported(this.markdown, message.text, message.support);
      this.showPictures();
      this.context.drawn();
    });
    this.end.replaceChildren(
      ...this.outcome(),
      ...this.emptyScopeLine(),
      ...this.noModelLine(),
      footer(message, this.context),
      ...this.followups(),
    );
  }

  /** That passages of cloud sources were left out, and what helps. */
  private liveLine(): HTMLElement[] {
    const left = leftOut(this.message.retrieval?.effective.live);
    if (left === undefined) return [];
    const line = noticeLine(left.text, "warning");
    line.dataset["testid"] = "left-out";
    if (left.needsToken) {
      line.append(
        textButton(l10n.t("Set Token"), () =>
          this.context.send("problem.action", { command: "ragAssistant.setSourceToken" }),
        ),
      );
    }
    return [line];
  }

  /** The style sheet shows those of the last answer only. */
  private followups(): HTMLElement[] {
    return questionButtons(this.message.followups ?? [], (text) => this.context.followUp(text));
  }

  private noModelLine(): HTMLElement[] {
    if (!this.context.saysNoModel(this.message)) return [];
    const line = noticeLine(noModelText());
    line.dataset["testid"] = "no-model";
    line.append(
      textButton(l10n.t("Add a Model…"), () =>
        this.context.send("problem.action", { command: "ragAssistant.addModel" }),
      ),
    );
    return [line];
  }

  private emptyScopeLine(): HTMLElement[] {
    const scope = emptyScopeOf(this.message);
    if (scope.length === 0) return [];
    const line = noticeLine(emptyScopeText(scope), "warning");
    line.dataset["testid"] = "empty-scope";
    line.append(textButton(l10n.t("Add to Knowledge Base"), () => this.context.send("scope.add", { scope })));
    return [line];
  }

  private outcome(): HTMLElement[] {
    const { state, error, id } = this.message;
    if (state === "stopped") return [noticeLine(l10n.t("Stopped. What had been written is kept."))];
    if (state !== "failed" || error === undefined) return [];
    const command = remedy(error.code);
    const again = textButton(l10n.t("Try Again"), () => this.context.retry(id, this.message.options), true);
    const actions = command ? [command] : [];
    return [problemBox({ ...error, actions }, this.context.send, again)];
  }

  private showPassages(): void {
    // The finished answer marks other sentences than the question did.
    const shown = JSON.stringify(this.message.citations.map(({ chunk_id, highlights }) => [chunk_id, highlights]));
    if (shown === this.shownPassages) return;
    this.shownPassages = shown;
    const isOpen = this.passages.querySelector("details")?.open ?? this.unfolded;
    const focused = this.passages.querySelector<HTMLElement>("[data-passage]:focus")?.dataset["passage"];
    this.passages.replaceChildren(
      ...(this.message.citations.length > 0 ? [passageStrip(this.message, this.context, isOpen)] : []),
    );
    if (focused !== undefined) this.passages.querySelector<HTMLElement>(`[data-passage="${focused}"]`)?.focus();
  }

  private showPictures(): void {
    const chips = this.markdown.element.querySelectorAll<HTMLElement>("[data-citation]");
    const cited = [...new Set([...chips].map((chip) => Number(chip.dataset["citation"])))];
    if (cited.join(" ") === this.shownPictures) return;
    this.shownPictures = cited.join(" ");
    const citations = cited.flatMap((id) => this.citation(id) ?? []);
    this.pictures.replaceChildren(...answerPictures(citations, this.message.text, this.context.images));
  }

  private newMarkdown(): StreamedMarkdown {
    return new StreamedMarkdown({
      copy: (text) => this.context.copyCode(text),
      insert: (text) => this.context.insertCode(text),
      decorate: (root) => insertChips(root, this.message.citations),
      drawn: () => this.context.drawn(),
    });
  }
}

export function isRunning({ state }: AssistantMessage): boolean {
  return state === "searching" || state === "answering";
}

/** What helps against failures that have a cure of their own. */
function remedy(code: string): { label: string; command: ProblemCommand } | undefined {
  switch (code) {
    case "SETUP_NEEDED":
      return { label: l10n.t("Set Up"), command: "ragAssistant.setup" };
    case "DAEMON_UNREACHABLE":
    case "DAEMON_SILENT":
    case "SEARCH_TIMEOUT":
      return { label: l10n.t("Restart Server"), command: "ragAssistant.restartDaemon" };
    case "UNAUTHORIZED":
      return { label: l10n.t("Set Token"), command: "ragAssistant.setServerToken" };
    default:
      return undefined;
  }
}
