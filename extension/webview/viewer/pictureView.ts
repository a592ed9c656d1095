/** A picture by itself: what was read in it lies over it as text, and can be framed. */

import * as l10n from "@vscode/l10n";

import type { Box, ContentPart, PageLine, Zoom } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { renderContent } from "./content";
import type { Pictures } from "./pictures";
import { textLayer } from "./textLayer";
import { ZoomArea, percentBox } from "./zoomArea";

export interface PictureOptions {
  assetId: string;
  title: string;
  zoom: Zoom;
  /** The cited part. */
  box: Box | null;
  content: ContentPart | null;
  pictures: Pictures;
  /** Asks for the text in the picture, once the picture is there. */
  loadText: () => void;
  zoomed: (zoom: Zoom) => void;
}

export class PictureView {
  readonly element: HTMLElement;
  readonly tools: HTMLElement[];
  private readonly area: ZoomArea;
  private readonly frames: HTMLButtonElement;
  private picture: HTMLElement | undefined;
  private layer: HTMLElement | undefined;

  constructor({ assetId, title, zoom, box, content, pictures, loadText, zoomed }: PictureOptions) {
    const area = (this.area = new ZoomArea(zoom, title, zoomed));
    this.frames = h(
      "button",
      { "aria-pressed": "false", hidden: true, onclick: () => this.frame() },
      l10n.t("Show Text Frames"),
    );
    this.tools = [...area.tools, this.frames];
    void pictures.element(assetId, title).then((element) => {
      this.picture = element;
      area.show(element, title, box);
      if (element instanceof HTMLImageElement) loadText();
    });
    const text =
      content &&
      h(
        "section",
        { class: "page-text", tabindex: 0, "aria-label": l10n.t("Text in the picture") },
        h("h2", {}, l10n.t("Text in the picture")),
        renderContent(content, "", "printed"),
      );
    this.element = h("div", { class: "pages" }, area.element, text);
  }

  textArrived(lines: readonly PageLine[]): void {
    const { picture } = this;
    if (!(picture instanceof HTMLImageElement) || lines.length === 0) return;
    this.layer = textLayer(lines, picture.naturalHeight / Math.max(1, picture.naturalWidth));
    for (const { words } of lines) {
      for (const { box } of words) if (box) this.layer.append(percentBox("text-frame", box));
    }
    this.area.lay(this.layer);
    this.frames.hidden = false;
  }

  key(event: KeyboardEvent): boolean {
    return this.area.key(event);
  }

  private frame(): void {
    const isFramed = this.layer?.classList.toggle("framed") ?? false;
    this.frames.setAttribute("aria-pressed", String(isFramed));
  }
}
