/** What is found while a question is written: completions and passages in a list above the field, which keeps the focus. */

import * as l10n from "@vscode/l10n";

import type { Completion, ToExtension, ToWebview } from "../../../src/protocol/chat";
import type { Citation } from "../../../src/core/api/types";
import { placeLabel, shortName } from "../../../src/protocol/places";
import { h } from "../../shared/dom";

import { excerpt } from "../passages/excerpt";
import type { AskOptions } from "../types";

const DELAY_MS = 150;
/** A longer text is no search that goes on: it was pasted, or it is a message. */
const LONGEST = 300;
const LEAST_LATIN = 2;
const EXCERPT = 110;
const LIST_ID = "typeahead";

export interface TypeaheadActions {
  typed(typed: ToExtension["typed"]): void;
  open(chunkId: string): void;
  /** Put a completion in place of the text. */
  complete(text: string): void;
  say(text: string): void;
}

interface Option {
  element: HTMLElement;
  take(): void;
}

export class Typeahead {
  readonly element = h("div", {
    class: "typeahead popup",
    id: LIST_ID,
    role: "listbox",
    "aria-label": l10n.t("Found while typing"),
    "data-testid": "typeahead",
    hidden: true,
  });
  private number = 0;
  private searching = false;
  private composing = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private suggestions: readonly Completion[] = [];
  private passages: readonly Citation[] = [];
  private options: Option[] = [];
  private active = -1;

  constructor(
    private readonly input: HTMLTextAreaElement,
    private readonly askOptions: () => AskOptions | undefined,
    private readonly actions: TypeaheadActions,
  ) {
    // HTML allows no role "combobox" on a field of several lines; these say the same of a text field.
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", LIST_ID);
    input.setAttribute("aria-haspopup", "listbox");
    input.addEventListener("compositionstart", () => {
      this.composing = true;
      this.close();
    });
    input.addEventListener("compositionend", () => {
      this.composing = false;
      this.changed();
    });
    input.addEventListener("input", () => this.changed());
    input.addEventListener("blur", () => this.close());
    // A click must not take the focus from the field before it is a click.
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  /** Stops what goes on and hides what was found. */
  close(): void {
    clearTimeout(this.timer);
    if (this.searching) {
      this.searching = false;
      this.actions.typed({ number: ++this.number, text: "", options: {} });
    }
    this.suggestions = this.passages = [];
    this.draw();
  }

  show({ number, suggestions, passages }: ToWebview["typed.found"]): void {
    if (number !== this.number || !this.searching) return;
    if (suggestions) this.suggestions = suggestions;
    if (passages) this.passages = passages;
    this.draw();
    const { length } = this.options;
    if (length > 0) this.actions.say(length === 1 ? l10n.t("1 result") : l10n.t("{0} results", length));
  }

  /** Whether the key was for the list. */
  key(event: KeyboardEvent): boolean {
    if (event.isComposing) return false;
    if (this.element.hidden) {
      // What is still looked for would come up after it was called off.
      if (event.key === "Escape") this.close();
      return false;
    }
    const last = this.options.length - 1;
    // In a text of several lines the arrows move the cursor, until the list was entered.
    const moves = this.active >= 0 || !this.input.value.includes("\n");
    if (event.key === "ArrowDown" && moves) this.activate(this.active >= last ? -1 : this.active + 1);
    else if (event.key === "ArrowUp" && moves) this.activate(this.active < 0 ? last : this.active - 1);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && this.active >= 0 && !event.shiftKey) this.options[this.active]?.take();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  private changed(): void {
    if (this.composing) return;
    clearTimeout(this.timer);
    const options = this.askOptions();
    const text = this.input.value.trim();
    if (options === undefined || text.length > LONGEST || !isEnough(text)) {
      this.close();
      return;
    }
    this.timer = setTimeout(() => {
      this.searching = true;
      this.actions.typed({ number: ++this.number, text, options });
    }, DELAY_MS);
  }

  private draw(): void {
    this.options = [];
    const option = (take: () => void, ...content: (HTMLElement | false)[]) => {
      const id = `${LIST_ID}-${this.options.length}`;
      const element = h(
        "div",
        { role: "option", id, class: "typeahead-option", "aria-selected": "false", onclick: take },
        ...content,
      );
      this.options.push({ element, take });
      return element;
    };
    const complete = ({ text, kind }: Completion) => {
      const take = () => {
        this.close();
        this.actions.complete(text);
        this.changed();
      };
      return option(
        take,
        h("span", { class: "typeahead-text" }, text),
        h("span", { class: "typeahead-kind" }, kindLabel(kind)),
      );
    };
    const open = (passage: Citation) => {
      const take = () => {
        this.actions.open(passage.chunk_id);
        this.close();
      };
      const place = placeLabel(passage);
      return option(
        take,
        h(
          "span",
          { class: "typeahead-text" },
          h("span", { class: "typeahead-title" }, passage.title),
          h("span", { class: "typeahead-excerpt" }, excerpt(passage.content, EXCERPT)),
        ),
        h("span", { class: "typeahead-kind" }, [shortName(passage.source), place].filter(Boolean).join(" · ")),
      );
    };
    const group = (label: string, options: HTMLElement[]) =>
      options.length > 0 && h("div", { role: "group", "aria-label": label, class: "typeahead-group" }, ...options);
    const groups = [
      group(l10n.t("Suggestions"), this.suggestions.map(complete)),
      group(l10n.t("Passages"), this.passages.map(open)),
    ];
    this.element.replaceChildren(...groups.filter((one) => one !== false));
    this.element.hidden = this.options.length === 0;
    this.activate(-1);
  }

  private activate(index: number): void {
    this.options[this.active]?.element.setAttribute("aria-selected", "false");
    this.active = index;
    const element = this.options[index]?.element;
    if (element) {
      element.setAttribute("aria-selected", "true");
      element.scrollIntoView({ block: "nearest" });
      this.input.setAttribute("aria-activedescendant", element.id);
    } else this.input.removeAttribute("aria-activedescendant");
  }
}

/** One Chinese or Japanese character says as much as a word. */
function isEnough(text: string): boolean {
  return (
    text.length >= LEAST_LATIN || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
  );
}

function kindLabel(kind: Completion["kind"]): string {
  switch (kind) {
    case "title":
      return l10n.t("Title");
    case "heading":
      return l10n.t("Heading");
    case "identifier":
      return l10n.t("Identifier");
    case "question":
      return l10n.t("Asked before");
  }
}
