/** A question, which can be edited and sent again. */

import * as l10n from "@vscode/l10n";

import { h } from "../../shared/dom";

import { flash, iconButton, textButton } from "../controls/controls";
import { askedChips } from "../scope/scopeChips";
import { isSendKey } from "../controls/keys";
import type { UserMessage } from "../types";

export interface UserActions {
  copy(text: string): void;
  resend(message: UserMessage, text: string): void;
}

export class UserMessageView {
  readonly element: HTMLElement;
  private readonly bubble: HTMLElement;

  constructor(
    private readonly message: UserMessage,
    private readonly actions: UserActions,
  ) {
    const copy = iconButton("copy", l10n.t("Copy question"), () => {
      actions.copy(message.text);
      flash(copy);
    });
    const edit = iconButton("edit", l10n.t("Edit and send again"), () => this.edit());
    this.bubble = h("div", { class: "bubble" }, message.text);
    this.element = h(
      "article",
      {
        class: "message user",
        "data-testid": "message-user",
        "data-message": message.id,
        "aria-label": l10n.t("Your question"),
      },
      this.bubble,
      ...askedChips(message.options),
      h("div", { class: "message-actions" }, edit, copy),
    );
  }

  edit(): void {
    const input = h("textarea", { class: "edit-input", rows: 2, "aria-label": l10n.t("Edit your question") });
    input.value = this.message.text;
    const send = () => {
      const text = input.value.trim();
      if (text !== "") this.actions.resend(this.message, text);
    };
    const leave = () => {
      form.replaceWith(this.bubble);
      this.element.classList.remove("editing");
      this.element.querySelector<HTMLElement>("button")?.focus();
    };
    const buttons = h(
      "div",
      { class: "buttons" },
      textButton(l10n.t("Send"), send, true),
      textButton(l10n.t("Cancel"), leave),
    );
    const form = h("div", { class: "edit-box" }, input, buttons);
    input.addEventListener("keydown", (event) => {
      if (isSendKey(event)) {
        event.preventDefault();
        send();
      } else if (event.key === "Escape" && !event.isComposing) {
        event.stopPropagation();
        leave();
      }
    });
    this.element.classList.add("editing");
    this.bubble.replaceWith(form);
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }
}
