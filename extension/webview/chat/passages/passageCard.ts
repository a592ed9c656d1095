/** The card that shows while the pointer or the focus is on a chip: the sentence that bears out the answer, within its passage. */

import type { Citation } from "../../../src/core/api/types";
import { asOfText, placeLabel, shortName } from "../../../src/protocol/places";
import { docIcon } from "../../shared/docIcon";
import { h } from "../../shared/dom";

import { place } from "../controls/menu";
import { citationTitle } from "./citationChips";
import { drawn, sentences } from "./excerpt";
import type { Images } from "./images";

const SHOW_MS = 250;
const HIDE_MS = 200;
/** Characters before the sentence, and of the card. */
const BEFORE = 160;
const LONGEST = 600;

export class PassageCard {
  private readonly element = h("div", { class: "card popup", role: "tooltip", id: "passage-card", hidden: true });
  private chip: HTMLElement | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `find`: the citation that a chip stands for. */
  constructor(
    root: HTMLElement,
    private readonly find: (chip: HTMLElement) => Citation | undefined,
    private readonly images: Images,
  ) {
    root.append(this.element);
    root.addEventListener("pointerover", (event) => this.over(event.target, SHOW_MS));
    root.addEventListener("pointerout", (event) => {
      if (!this.element.contains(event.target as Node)) this.later(() => this.hide(), HIDE_MS);
    });
    root.addEventListener("focusin", (event) => this.over(event.target, 0));
    root.addEventListener("focusout", () => this.hide());
    root.addEventListener("scroll", () => this.hide(), true);
    // The pointer may move onto the card, to read or select in it.
    this.element.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.element.addEventListener("pointerleave", () => this.later(() => this.hide(), HIDE_MS));
    // Before the webview's own listener, for which Escape stops the answer.
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape" || this.element.hidden) return;
        event.stopPropagation();
        this.hide();
      },
      true,
    );
  }

  hide(): void {
    clearTimeout(this.timer);
    this.chip?.removeAttribute("aria-describedby");
    this.chip = undefined;
    this.element.hidden = true;
  }

  private over(target: EventTarget | null, delay: number): void {
    const chip = target instanceof Element ? target.closest<HTMLElement>("[data-citation]") : null;
    if (chip === null) return;
    this.later(() => this.show(chip), chip === this.chip ? 0 : delay);
  }

  private later(act: () => void, delay: number): void {
    clearTimeout(this.timer);
    if (delay === 0) act();
    else this.timer = setTimeout(act, delay);
  }

  private show(chip: HTMLElement): void {
    const citation = this.find(chip);
    if (citation === undefined || !chip.isConnected || chip === this.chip) return;
    this.hide();
    this.chip = chip;
    chip.setAttribute("aria-describedby", this.element.id);
    const file = shortName(citation.source);
    const title = citationTitle(citation);
    const about = [
      title === file ? "" : title,
      placeLabel(citation),
      asOfText(citation, document.documentElement.lang),
    ];
    const picture = citation.images[0];
    this.element.replaceChildren(
      h("div", { class: "card-title", title: citation.source }, docIcon(citation.doc_type), h("span", {}, file)),
      h("div", { class: "card-place" }, about.filter((part) => part !== "").join(" · ") || citation.source),
      h("div", { class: "card-text" }, ...drawn(sentences(citation, BEFORE, LONGEST))),
    );
    if (picture) this.element.append(this.images.thumbnail(picture));
    this.element.hidden = false;
    place(chip, this.element);
  }
}
