/** What was read in a document, a part of it at a time, with the cited passage marked. */

import * as l10n from "@vscode/l10n";

import type { ContentPart, Sheet } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { markSentences, renderContent } from "./content";
import type { Findable } from "./find/finder";
import type { Hit } from "./find/search";
import type { Pictures } from "./pictures";
import { numberRows } from "./sheetTable";
import { SheetTabs } from "./sheetTabs";
import { fitSlides, slideCards } from "./slides";
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
  /** Whether it is a presentation. */
  isSlides: boolean;
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
  private zoom: number;
  private part: ContentPart | undefined;
  /** The character that the part that was asked for is shown at. */
  private wanted: number | undefined;

  constructor(private readonly options: ContentOptions) {
    this.zoom = options.zoom;
    this.article = h("article", { class: "content", "aria-label": options.title, tabindex: 0 });
    if (options.isSlides) this.article.addEventListener("scroll", () => this.tellSlide(), { passive: true });
    if (options.sheets.length > 1) this.tabs = new SheetTabs(options.sheets, ({ offset }) => this.goTo(offset));
    this.element = h("div", { class: "content-frame" }, this.article, this.tabs?.element);
    this.tools = zoomButtons(this.amount, (by) => this.enlarge(this.zoom * by));
    this.enlarge(this.zoom);
  }

  get roots(): readonly Element[] {
    return [this.article];
  }

  /** Shows a part: at the passage, at the character that was asked for, or from its beginning on. */
  show(part: ContentPart, reveal: "passage" | "top"): void {
    const { place, sentences, pictures, load, openImage } = this.options;
    this.part = part;
    const button = (label: string, from: number | null) =>
      from !== null && h("button", { class: "more", onclick: () => load(from, false) }, label);
    const none = part.text.trim() === "" && h("p", { class: "quiet" }, l10n.t("No text was read in this document."));
    const children = [
      button(l10n.t("Show Earlier Part"), part.before),
      none,
      renderContent(part, place),
      button(l10n.t("Show Later Part"), part.after),
    ].filter((child) => child !== false);
    this.article.replaceChildren(...children);
    numberRows(this.article, part.rows);
    if (this.options.isSlides) {
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
    if (by === undefined) return false;
    this.enlarge(by === 0 ? 1 : this.zoom * by);
    return true;
  }

  private tellSlide(): void {
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
    if (number !== undefined) this.options.reached(Number(number));
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
