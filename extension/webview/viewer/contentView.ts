/** What was read in a document, a part of it at a time, with the cited passage marked. */

import * as l10n from "@vscode/l10n";

import type { ContentPart, Sheet, SlideCard } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { markSentences, renderContent } from "./content";
import type { Findable } from "./find/finder";
import type { Hit } from "./find/search";
import type { Pictures } from "./pictures";
import { numberRows } from "./sheetTable";
import { SheetTabs } from "./sheetTabs";
import { fitSlides, slideCards } from "./slides";
import { scrollOn, scrollsSideways, turn, turnButton } from "./turning";
import { zoomButtons, zoomStep } from "./zoomArea";

const SMALLEST = 0.5;
const LARGEST = 3;

export interface ContentOptions {
  title: string;
  /** What of the document is marked, as in "Slide 4". */
  place: string;
  sentences: readonly string[];
  /** Of a workbook. */
  sheets: readonly Sheet[];
  /** Of a presentation; null for what is none. */
  slides: readonly SlideCard[] | null;
  isMarkdown: boolean;
  /** The slide that is shown first, as the presentation counts. */
  slide: number;
  pictures: Pictures;
  zoom: number;
  openImage: (assetId: string, title: string) => void;
  load: (from: number, isInside: boolean) => void;
  zoomed: (zoom: number) => void;
  /** A slide was scrolled to. */
  reached: (slide: number) => void;
}

export class ContentView implements Findable {
  readonly element: HTMLElement;
  readonly tools: HTMLElement[];
  readonly without = ".passage-label, .picture, .more, .row-number, .column-letters";
  readonly scrollers = ".placed, .content";
  private readonly article: HTMLElement;
  private readonly tabs: SheetTabs | undefined;
  private readonly amount = h("span", { class: "zoom-amount", role: "status" });
  private readonly slides: readonly SlideCard[];
  private readonly place = h("span", { class: "page-total", role: "status" });
  private readonly previous: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  /** Index of the slide that is looked at. */
  private slide = 0;
  /** Where its beginning was scrolled to: until the reader scrolls on, that says nothing about another one. */
  private sentTo: number | undefined;
  private zoom: number;
  private part: ContentPart | undefined;
  /** The character that the part that was asked for is shown at. */
  private wanted: number | undefined;

  constructor(private readonly options: ContentOptions) {
    this.zoom = options.zoom;
    this.article = h("article", { class: "content", "aria-label": options.title, tabindex: 0 });
    this.slides = options.slides ?? [];
    if (options.slides) this.article.addEventListener("scroll", () => this.tellSlide(), { passive: true });
    if (options.sheets.length > 1) this.tabs = new SheetTabs(options.sheets, ({ offset }) => this.goTo(offset));
    this.element = h("div", { class: "content-frame" }, this.article, this.tabs?.element);
    this.previous = turnButton(l10n.t("Previous"), l10n.t("Previous slide (Left, Page Up)"), "←", () => this.turn(-1));
    this.next = turnButton(l10n.t("Next"), l10n.t("Next slide (Right, Page Down)"), "→", () => this.turn(1));
    const turning = h("span", { class: "group" }, this.previous, this.place, this.next);
    this.tools = [
      ...(this.slides.length > 1 ? [turning, h("span", { class: "gap" })] : []),
      zoomButtons(this.amount, (by) => this.enlarge(this.zoom * by)),
    ];
    this.looksAt(this.slides.findIndex(({ number }) => number === options.slide));
    this.enlarge(this.zoom);
  }

  get roots(): readonly Element[] {
    return [this.article];
  }

  /** Shows a part: at the passage, at the character that was asked for, or from its beginning on. */
  show(part: ContentPart, reveal: "passage" | "top"): void {
    const { place, sentences, isMarkdown, pictures, load, openImage } = this.options;
    this.part = part;
    const button = (label: string, from: number | null) =>
      from !== null && h("button", { class: "more", onclick: () => load(from, false) }, label);
    const none = part.text.trim() === "" && h("p", { class: "quiet" }, l10n.t("No text was read in this document."));
    const children = [
      button(l10n.t("Show Earlier Part"), part.before),
      none,
      renderContent(part, place, isMarkdown ? "markdown" : "read"),
      button(l10n.t("Show Later Part"), part.after),
    ].filter((child) => child !== false);
    this.article.replaceChildren(...children);
    numberRows(this.article, part.rows);
    if (this.options.slides) {
      slideCards(this.article, part);
      fitSlides(this.article);
    }
    markSentences(this.article, sentences);
    pictures.fill(this.article, openImage);
    this.article.scrollTop = 0;
    this.tabs?.mark(part.start);
    const { wanted } = this;
    this.wanted = undefined;
    if (wanted !== undefined) this.goTo(wanted);
    else if (reveal === "passage") showPassage(this.article);
  }

  /** Goes to a character of the content. */
  goTo(offset: number): void {
    const { part } = this;
    if (!part) return;
    if (!holds(part, offset)) {
      this.wanted = offset;
      this.options.load(offset, true);
      return;
    }
    const line = part.text.slice(0, offset - part.start).split("\n").length - 1;
    const blocks = [...this.article.querySelectorAll<HTMLElement>("[data-line]")];
    const block = blocks.findLast((one) => Number(one.dataset["line"]) <= line) ?? blocks[0];
    block?.scrollIntoView({ block: "start" });
    if (this.slides[this.slide]?.offset === offset) this.sentTo = this.article.scrollTop;
  }

  bring(hit: Hit): boolean {
    if (this.isShown(hit)) return true;
    this.options.load(hit.offset, true);
    return false;
  }

  isShown({ offset }: Hit): boolean {
    return this.part !== undefined && holds(this.part, offset);
  }

  key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const by = zoomStep(event.key);
    if (by === undefined) return this.turnKey(event);
    this.enlarge(by === 0 ? 1 : this.zoom * by);
    return true;
  }

  openSlide(slide: SlideCard): void {
    this.looksAt(this.slides.indexOf(slide));
    this.goTo(slide.offset);
  }

  private turn(by: 1 | -1): void {
    const slide = this.slides[this.slide + by];
    if (slide) this.openSlide(slide);
  }

  private turnKey(event: KeyboardEvent): boolean {
    const turned = turn(event);
    if (!turned) return false;
    const { by, isScreen } = turned;
    if (this.slides.length === 0) {
      // Where the text has the focus, the keys scroll it anyway.
      return isScreen && !this.article.contains(event.target as Node) && scrollOn(this.article, by);
    }
    if (!isScreen && scrollsSideways(event.target, this.article)) return false;
    if (!isScreen || this.isInSight(by) || !scrollOn(this.article, by)) this.turn(by);
    return true;
  }

  /** Whether the end of the slide that the key goes to is on the screen. */
  private isInSight(by: 1 | -1): boolean {
    const number = this.slides[this.slide]?.number;
    const card = this.article.querySelector(`.slide[data-slide="${number}"]`)?.getBoundingClientRect();
    const area = this.article.getBoundingClientRect();
    return !card || (by < 0 ? card.top >= area.top - 1 : card.bottom <= area.bottom + 1);
  }

  private looksAt(index: number): void {
    this.slide = Math.max(0, index);
    this.place.textContent = l10n.t("{0} of {1}", this.slide + 1, this.slides.length);
    this.previous.disabled = this.slide === 0;
    this.next.disabled = this.slide >= this.slides.length - 1;
    const slide = this.slides[this.slide];
    if (slide) this.options.reached(slide.number);
  }

  private tellSlide(): void {
    if (this.article.scrollTop === this.sentTo) return;
    this.sentTo = undefined;
    const { top, height } = this.article.getBoundingClientRect();
    const slides = [...this.article.querySelectorAll<HTMLElement>(".slide[data-slide]")];
    // The one at a third of the height, which is what people look at.
    const isBelow = (slide: HTMLElement) => slide.getBoundingClientRect().top > top + height / 3;
    let [low, high] = [0, slides.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const slide = slides[middle];
      if (slide && isBelow(slide)) high = middle - 1;
      else low = middle;
    }
    const number = slides[low]?.dataset["slide"];
    if (number !== undefined) this.looksAt(this.slides.findIndex((slide) => slide.number === Number(number)));
  }

  private enlarge(zoom: number): void {
    this.zoom = Math.min(LARGEST, Math.max(SMALLEST, zoom));
    this.article.style.fontSize = `${this.zoom}em`;
    this.amount.textContent = `${Math.round(this.zoom * 100)} %`;
    this.options.zoomed(this.zoom);
  }
}

function holds({ start, text }: ContentPart, offset: number): boolean {
  return offset >= start && offset < start + text.length;
}

/** Its heading at the top; but rows far down in a long table are what people look for, not the table. */
function showPassage(element: HTMLElement): void {
  const label = element.querySelector(".passage-label");
  const passage = element.querySelector(".passage");
  if (!label || !passage) return;
  const distance = passage.getBoundingClientRect().top - label.getBoundingClientRect().top;
  if (distance > element.clientHeight / 2) passage.scrollIntoView({ block: "center" });
  else label.scrollIntoView({ block: "start" });
}
