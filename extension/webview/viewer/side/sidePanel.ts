/** What stands beside the document: thumbnails of its pages and its outline, one at a time, or nothing. */

import * as l10n from "@vscode/l10n";

import type { OutlineEntry, SideTab, SlideCard } from "../../../src/protocol/viewer";
import { h } from "../../shared/dom";
import type { Pictures } from "../pictures";
import { Outline } from "./outline";
import { SlideThumbnails } from "./slideThumbnails";
import { Thumbnails } from "./thumbnails";

export interface SidePanelOptions {
  /** Null where there are no pages, or nobody knows how many. */
  pageCount: number | null;
  slides: readonly SlideCard[];
  pictures: Pictures;
  tab: SideTab | null;
  loadThumbnail: (page: number) => void;
  loadOutline(): void;
  openPage: (page: number) => void;
  openSlide: (slide: SlideCard) => void;
  openHeading: (entry: OutlineEntry) => void;
  /** Another tab was opened, or none. */
  changed(tab: SideTab | null): void;
}

export class SidePanel {
  readonly element = h("nav", { class: "side", hidden: true, "aria-label": l10n.t("Pages and outline") });
  /** They stand in the toolbar; each opens its tab, or closes it. */
  readonly buttons: HTMLButtonElement[];
  private readonly byTab = new Map<SideTab, HTMLButtonElement>();
  private readonly thumbnails: Thumbnails | undefined;
  private readonly slides: SlideThumbnails | undefined;
  private outline: Outline | undefined;
  private isOutlineAsked = false;
  private isOutlineHere = false;
  private tab: SideTab | null = null;
  private page = 0;

  constructor(private readonly options: SidePanelOptions) {
    const { pageCount } = options;
    if (pageCount !== null && pageCount > 1) {
      this.thumbnails = new Thumbnails(pageCount, options.loadThumbnail, options.openPage);
      this.byTab.set("pages", this.button("pages", l10n.t("Pages")));
    }
    if (options.slides.length > 1) {
      this.slides = new SlideThumbnails(options.slides, options.pictures, (slide) => {
        options.openSlide(slide);
        this.showPage(slide.number);
      });
      this.byTab.set("pages", this.button("pages", l10n.t("Slides")));
    }
    this.byTab.set("outline", this.button("outline", l10n.t("Outline")));
    this.buttons = [...this.byTab.values()];
  }

  /** To be called once it stands in the page. */
  start(): void {
    if (this.options.tab !== null && this.byTab.has(this.options.tab)) this.open(this.options.tab);
  }

  thumbnailArrived(page: number, url: string): void {
    this.thumbnails?.arrived(page, url);
  }

  outlineArrived(entries: readonly OutlineEntry[]): void {
    this.isOutlineHere = true;
    if (entries.length > 0) this.outline = new Outline(entries, this.options.openHeading);
    if (this.tab === "outline") this.draw();
  }

  /** It could not be had; the extension has said why. Opened again, it is asked for again. */
  outlineFailed(): void {
    this.isOutlineAsked = false;
    if (this.tab === "outline") this.open(null);
  }

  showPage(page: number): void {
    this.page = page;
    this.thumbnails?.list.mark(page - 1);
    this.slides?.showPage(page);
    this.outline?.showPage(page);
  }

  private button(tab: SideTab, label: string): HTMLButtonElement {
    return h(
      "button",
      {
        "aria-expanded": "false",
        onclick: () => {
          this.open(this.tab === tab ? null : tab);
          this.options.changed(this.tab);
        },
      },
      label,
    );
  }

  private open(tab: SideTab | null): void {
    this.tab = tab;
    for (const [one, button] of this.byTab) button.setAttribute("aria-expanded", String(one === tab));
    if (tab === "outline" && !this.isOutlineAsked) {
      this.isOutlineAsked = true;
      this.options.loadOutline();
    }
    this.draw();
  }

  private draw(): void {
    this.element.hidden = this.tab === null;
    const list = this.tab === "pages" ? (this.thumbnails ?? this.slides)?.list : this.outline?.list;
    if (this.tab === null) this.element.replaceChildren();
    else if (list) {
      this.element.replaceChildren(list.element);
      list.draw();
      if (this.page > 0) this.showPage(this.page);
    } else {
      const text = this.isOutlineHere ? l10n.t("This document has no headings.") : l10n.t("Loading the outline…");
      this.element.replaceChildren(h("p", { class: "quiet", role: "status" }, text));
    }
  }
}
