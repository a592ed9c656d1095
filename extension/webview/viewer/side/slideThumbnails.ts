/** The slides of a presentation, drawn small: their pictures and the beginnings of their texts at their places. */

import * as l10n from "@vscode/l10n";

import type { SlideCard } from "../../../src/protocol/viewer";
import { h } from "../../shared/dom";
import type { Loaded, Pictures } from "../pictures";
import { VirtualList } from "./virtualList";

const ROW_HEIGHT = 156;
const WIDEST = 150;
const HIGHEST = 124;

export class SlideThumbnails {
  readonly list: VirtualList;
  private readonly loaded = new Map<string, Promise<Loaded>>();

  constructor(
    private readonly slides: readonly SlideCard[],
    private readonly pictures: Pictures,
    open: (slide: SlideCard) => void,
  ) {
    this.list = new VirtualList({
      label: l10n.t("Slides"),
      count: slides.length,
      rowHeight: ROW_HEIGHT,
      draw: (index) => this.row(slides[index]),
      open: (index) => {
        const slide = slides[index];
        if (slide) open(slide);
      },
    });
  }

  /** Marks a slide by its number in the presentation, in which hidden ones count. */
  showPage(number: number): void {
    this.list.mark(this.slides.findIndex((slide) => slide.number === number));
  }

  private row(slide: SlideCard | undefined): { name: string; content: Node } {
    const { number = 0, title = "" } = slide ?? {};
    const label = h("span", { class: "thumbnail-number" }, String(number));
    const content = h("span", { class: "thumbnail" }, slide && this.small(slide), label);
    return { name: l10n.t("Slide {0}: {1}", number, title), content };
  }

  private small({ ratio, blocks }: SlideCard): HTMLElement {
    const width = Math.min(WIDEST, HIGHEST * ratio);
    const small = h("span", { class: "small-slide" });
    Object.assign(small.style, { width: `${width}px`, height: `${width / ratio}px` });
    for (const { box, assetId, text } of blocks) {
      const [left, top, right, bottom] = box.map((share) => Math.min(1, Math.max(0, share)) * 100);
      // Drawn by the style sheet: the row's name says the title, and a name has to hold the text that is seen.
      const block = h(
        "span",
        assetId === null ? { class: "small-text", "data-text": text } : { class: "small-picture" },
      );
      const [width, height] = [(right ?? 0) - (left ?? 0), (bottom ?? 0) - (top ?? 0)];
      Object.assign(block.style, { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` });
      if (assetId !== null) void this.draw(assetId, block);
      small.append(block);
    }
    return small;
  }

  private async draw(assetId: string, place: HTMLElement): Promise<void> {
    const loading = this.loaded.get(assetId) ?? this.pictures.load(assetId, "thumb");
    this.loaded.set(assetId, loading);
    const loaded = await loading;
    // What can't be had is an empty frame here; the slide itself says why.
    if ("url" in loaded) place.replaceChildren(h("img", { src: loaded.url, alt: "" }));
  }
}
