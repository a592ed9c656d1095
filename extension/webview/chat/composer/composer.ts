/** Where a question is written, with what it is asked. */

import * as l10n from "@vscode/l10n";

import type { Choices } from "../../../src/protocol/chat";
import { h } from "../../shared/dom";
import { icon, type IconName } from "../../shared/icons";

import { iconButton } from "../controls/controls";
import { isSendKey } from "../controls/keys";
import { openMenu } from "../controls/menu";
import { editableChips } from "../scope/scopeChips";
import type { AskOptions, AttachedText, ScopeItem } from "../types";
import { filterCount, openFilters } from "./filters";
import { choiceItems, choiceLabel, choiceTitle, withOption } from "./options";
import { Typeahead, type TypeaheadActions } from "./typeahead";

export interface ComposerActions extends Omit<TypeaheadActions, "complete"> {
  ask(text: string, options: AskOptions): void;
  stop(): void;
  pick(folders: boolean): void;
  addModel(): void;
  chooseScope(scope: ScopeItem[]): void;
  editLast(): void;
  draftChanged(text: string): void;
  optionsChanged(options: AskOptions): void;
}

const MOST = 200;
const MOST_ATTACHED = 10;

export class Composer {
  readonly element: HTMLFormElement;
  readonly typeahead: Typeahead;
  options: AskOptions = {};
  private choices: Choices | null = null;
  private running = false;
  private readonly input: HTMLTextAreaElement;
  private readonly send: HTMLButtonElement;
  private readonly stop: HTMLButtonElement;
  private readonly pickers = h("div", { class: "pickers" });
  private readonly scope = h("div", {});

  constructor(
    private readonly actions: ComposerActions,
    private readonly language: string,
  ) {
    this.input = h("textarea", {
      rows: 1,
      "data-testid": "composer",
      "aria-label": l10n.t("Ask your documents"),
      placeholder: l10n.t("Ask your documents"),
      oninput: () => this.changed(),
      onkeydown: (event) => this.key(event),
    });
    this.send = iconButton("send", l10n.t("Send (Enter)"), () => this.submit(), {
      "data-testid": "send",
      class: "ghost send",
    });
    this.stop = iconButton("stop", l10n.t("Stop (Escape)"), () => actions.stop(), {
      "data-testid": "stop",
      class: "ghost stop",
      hidden: true,
    });
    const attachLabel = l10n.t("Add documents");
    const attach = iconButton(
      "attach",
      attachLabel,
      () =>
        openMenu(attach, attachLabel, [
          {
            items: [
              { label: l10n.t("Add Files…"), run: () => actions.pick(false) },
              { label: l10n.t("Add a Folder…"), run: () => actions.pick(true) },
            ],
          },
        ]),
      { "aria-haspopup": "menu", "aria-expanded": "false" },
    );
    this.typeahead = new Typeahead(
      this.input,
      () => (this.choices === null ? undefined : withOption(this.options, "attachments", undefined)),
      {
        ...actions,
        complete: (text) => (this.text = text),
      },
    );
    const tools = h("div", { class: "composer-tools" }, attach, this.pickers, this.send, this.stop);
    this.element = h(
      "form",
      { class: "composer", "aria-label": l10n.t("Question") },
      this.typeahead.element,
      this.scope,
      this.input,
      tools,
    );
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.send.disabled = true;
  }

  /** Another session, or what may be chosen has changed. */
  show(choices: Choices | null, options: AskOptions): void {
    this.choices = choices;
    this.options = options;
    this.drawPickers();
    this.drawScope();
  }

  /** Ask about these; `add`: also about them. The attachments go with the next question. */
  askAbout(scope: readonly ScopeItem[], add: boolean, attachments: readonly AttachedText[]): void {
    const kept = add ? (this.options.scope ?? []) : [];
    const fresh = scope.filter((one) => !kept.some(({ kind, id }) => kind === one.kind && id === one.id));
    this.narrow(
      [...kept, ...fresh].slice(0, MOST),
      [...(this.options.attachments ?? []), ...attachments].slice(-MOST_ATTACHED),
    );
  }

  set text(text: string) {
    this.input.value = text;
    this.changed();
    this.input.setSelectionRange(text.length, text.length);
  }

  focus(): void {
    this.input.focus();
  }

  setRunning(running: boolean): void {
    if (running === this.running) return;
    const focused = document.activeElement === this.send || document.activeElement === this.stop;
    this.running = running;
    this.send.hidden = running;
    this.stop.hidden = !running;
    if (focused) (running ? this.stop : this.input).focus();
  }

  submit(): void {
    const text = this.input.value.trim();
    if (text === "" || this.running) return;
    this.typeahead.close();
    this.text = "";
    const { options } = this;
    this.actions.ask(text, options);
    // What was attached was for this question; what it is about holds on.
    if (options.attachments) this.narrow(options.scope ?? [], []);
  }

  private narrow(scope: ScopeItem[], attachments: AttachedText[]): void {
    const scoped = { ...this.options, scope };
    this.options = withOption(scoped, "attachments", attachments.length > 0 ? attachments : undefined);
    this.actions.optionsChanged(this.options);
    this.drawPickers();
    this.drawScope();
  }

  private drawScope(): void {
    this.scope.replaceChildren(
      ...editableChips(this.options, (scope, attachments) => {
        this.narrow(scope, attachments);
        this.input.focus();
      }),
    );
  }

  private changed(): void {
    this.actions.draftChanged(this.input.value);
    this.send.disabled = this.input.value.trim() === "";
  }

  private key(event: KeyboardEvent): void {
    if (this.typeahead.key(event)) return;
    if (isSendKey(event)) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "ArrowUp" && this.input.value === "" && !this.running) {
      event.preventDefault();
      this.actions.editLast();
    }
  }

  private drawPickers(): void {
    const { choices } = this;
    if (choices === null) {
      this.pickers.replaceChildren();
      return;
    }
    const filters = filterCount(this.options.filters);
    const filterLabel = filters === 0 ? l10n.t("Filters") : l10n.t("Filters: {0}", filters);
    const filter = this.pickerButton("filter", filterLabel, filters === 0 ? "" : String(filters), "dialog", () =>
      openFilters(filter, this.options.filters ?? {}, this.language, (chosen) => {
        this.change(withOption(this.options, "filters", filterCount(chosen) === 0 ? undefined : chosen), filter);
      }),
    );
    const count = this.options.scope?.length ?? 0;
    const scopeLabel = l10n.t("Choose what to ask…");
    const scope = this.pickerButton("check", scopeLabel, count === 0 ? "" : String(count), "dialog", () =>
      this.actions.chooseScope(this.options.scope ?? []),
    );
    scope.dataset["testid"] = "choose-scope";
    this.pickers.replaceChildren(
      scope,
      this.picker("collection", choices),
      this.picker("strategy", choices),
      this.picker("model", choices),
      filter,
    );
  }

  private picker(choice: "collection" | "strategy" | "model", choices: Choices): HTMLElement {
    const value = choiceLabel(choice, this.options, choices);
    const title = choiceTitle(choice);
    const button = this.pickerButton(choice, `${title}: ${value}`, value, "menu", () => {
      const choose = (chosen?: string) => this.change(withOption(this.options, choice, chosen), button);
      const items = choiceItems(choice, this.options[choice], choices, choose);
      const more = choice === "model" ? [{ label: l10n.t("Add a Model…"), run: () => this.actions.addModel() }] : [];
      openMenu(button, title, [{ title, items }, { items: more }]);
    });
    button.dataset["picker"] = choice;
    button.classList.toggle("chosen", this.options[choice] !== undefined);
    return button;
  }

  private pickerButton(
    name: IconName,
    label: string,
    text: string,
    popup: string,
    onclick: () => void,
  ): HTMLButtonElement {
    const names = {
      type: "button",
      class: "picker",
      title: label,
      "aria-label": label,
      "aria-haspopup": popup,
      "aria-expanded": "false",
      onclick,
    };
    return h("button", names, icon(name), text !== "" && h("span", { class: "picker-text" }, text));
  }

  /** The buttons are drawn anew, unless a panel still hangs on one of them. */
  private change(options: AskOptions, from: HTMLElement): void {
    this.options = options;
    this.actions.optionsChanged(options);
    const index = [...this.pickers.children].indexOf(from);
    if (from.getAttribute("aria-expanded") === "true") return;
    const focused = from === document.activeElement;
    this.drawPickers();
    if (focused) (this.pickers.children[index] as HTMLElement | undefined)?.focus();
  }
}
