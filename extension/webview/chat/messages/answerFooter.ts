/** Below a finished answer: copy, try again, thumbs, who wrote it, and why these passages. */

import * as l10n from "@vscode/l10n";

import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

import { flash, iconButton, textButton } from "../controls/controls";
import { isSendKey } from "../controls/keys";
import { openMenu, type MenuSection } from "../controls/menu";
import { whyPanel } from "../passages/retrievalDetails";
import type { AskOptions, AssistantMessage } from "../types";

const LONGEST_COMMENT = 2000;

export interface FooterActions {
  copyAnswer(messageId: string): void;
  retry(messageId: string, options: AskOptions): void;
  /** Other ways to ask the same, for the menu. */
  retryChoices(message: AssistantMessage, retry: (options: AskOptions) => void): MenuSection[];
  feedback(messageId: string, verdict: "up" | "down" | null, comment?: string): void;
}

export function footer(message: AssistantMessage, actions: FooterActions): HTMLElement {
  const { id, retrieval } = message;
  const copy = iconButton("copy", l10n.t("Copy answer"), () => {
    actions.copyAnswer(id);
    flash(copy);
  });
  const again = iconButton("refresh", l10n.t("Try again"), () => actions.retry(id, message.options));
  const menuLabel = l10n.t("Try again with other settings");
  const other = iconButton(
    "chevronDown",
    menuLabel,
    () =>
      openMenu(
        other,
        menuLabel,
        actions.retryChoices(message, (options) => actions.retry(id, options)),
      ),
    { class: "ghost narrow", "aria-haspopup": "menu", "aria-expanded": "false" },
  );
  const bar = h(
    "div",
    { class: "answer-actions", role: "toolbar", "aria-label": l10n.t("Answer") },
    message.text !== "" && copy,
    h("span", { class: "split" }, again, other),
    thumb("up", message, actions),
    thumb("down", message, actions),
  );
  const place = h("div", { class: "answer-footer" }, bar);
  if (message.feedback?.verdict === "down") place.append(reason(message, message.feedback.comment, actions));
  if (message.by && message.by.kind !== "passages") bar.append(h("span", { class: "by" }, message.by.name));
  if (retrieval) bar.append(whyButton(message, place));
  return place;
}

function thumb(verdict: "up" | "down", message: AssistantMessage, actions: FooterActions): HTMLElement {
  const pressed = message.feedback?.verdict === verdict;
  const label = verdict === "up" ? l10n.t("Helpful") : l10n.t("Not helpful");
  return iconButton(
    verdict === "up" ? "thumbUp" : "thumbDown",
    label,
    () => actions.feedback(message.id, pressed ? null : verdict),
    { "aria-pressed": String(pressed), "data-verdict": verdict },
  );
}

/** What was wrong: what was said of it, else a field to say it, which is there once it is asked for. */
function reason({ id }: AssistantMessage, said: string | undefined, actions: FooterActions): HTMLElement {
  if (said !== undefined) return h("p", { class: "feedback-said quiet" }, l10n.t("What was wrong: {0}", said));
  const input = h("input", {
    ...{ type: "text", maxlength: LONGEST_COMMENT, placeholder: l10n.t("Such as: the figure is of another year") },
    "aria-label": l10n.t("What was wrong?"),
  });
  const send = () => {
    const comment = input.value.trim();
    if (comment !== "") actions.feedback(id, "down", comment);
  };
  input.addEventListener("keydown", (event) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    send();
  });
  const form = h("div", { class: "feedback-form" }, input, textButton(l10n.t("Send"), send));
  const ask = textButton(l10n.t("Say what was wrong…"), () => {
    ask.replaceWith(form);
    input.focus();
  });
  return ask;
}

function whyButton(message: AssistantMessage, place: HTMLElement): HTMLElement {
  let panel: HTMLElement | undefined;
  const button = h(
    "button",
    {
      type: "button",
      class: "ghost why-button",
      "aria-expanded": "false",
      onclick: () => {
        if (panel) {
          panel.remove();
          panel = undefined;
        } else if (message.retrieval) place.append((panel = whyPanel(message, message.retrieval)));
        button.setAttribute("aria-expanded", String(panel !== undefined));
      },
    },
    icon("chevronRight"),
    l10n.t("Why these passages"),
  );
  return button;
}
