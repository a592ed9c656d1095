/** A PDF by its pages: pictures of them with the passage marked, and their text beside. */

import * as l10n from "@vscode/l10n";

import type { ContentPart, Zoom } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { renderContent } from "./content";
import { ZoomArea } from "./zoomArea";

export interface PagesOptions {
  page: number;
  pageCount: number | null;
  zoom: Zoom;
  /** The cited page, and how far down on it the passage begins, as a fraction. */
  cited: { page: number; top: number } | null;
  load(page: number, width: number): void;
  url(bytes: Uint8Array): string;
  /** The page or the zoom has changed. */
  changed(page: number, zoom: Zoom): void;
}

const NARROWEST = 100;
const WIDEST = 3000;

export class PagesView {
  readonly element: HTMLElement;
  readonly tools: HTMLElement[];
  private readonly area: ZoomArea;
  private readonly text = h("section", { class: "page-text", tabindex: 0 });
  private readonly problem = h("p", { class: "problem", role: "alert" });
  private readonly field: HTMLInputElement;
  private readonly total = h("span", { class: "page-total" });
  private readonly previous: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private page: number;
  private pageCount: number | null;
  private zoom: Zoom;
  /** Of the picture that is shown or asked for. */
  private width = 0;
  private url = "";
  private isRevealed = false;

  constructor(private readonly options: PagesOptions) {
    this.page = options.page;
    this.pageCount = options.pageCount;
    this.zoom = options.zoom;
    this.area = new ZoomArea(options.zoom, this.label, (zoom) => this.zoomed(zoom));
    this.previous = h(
      "button",
      { title: l10n.t("Previous page (Left)"), onclick: () => this.go(this.page - 1) },
      l10n.t("Previous"),
    );
    this.next = h(
      "button",
      { title: l10n.t("Next page (Right)"), onclick: () => this.go(this.page + 1) },
      l10n.t("Next"),
    );
    this.field = h("input", {
      ...{ type: "number", min: 1, class: "page-number", "aria-label": l10n.t("Page") },
      onchange: () => this.go(this.field.valueAsNumber),
    });
    this.tools = [this.previous, this.field, this.total, this.next, h("span", { class: "gap" }), ...this.area.tools];
    this.element = h("div", { class: "pages" }, this.problem, this.area.element, this.text);
    this.drawTools();
  }

  /** To be called once it stands in the page: only then it has a width. */
  start(): void {
    this.request();
    new ResizeObserver(() => this.enlarged()).observe(this.area.element);
  }

  arrived(page: number, bytes: Uint8Array | null, problem: string): void {
    if (page !== this.page) return;
    this.problem.textContent = problem;
    this.area.element.removeAttribute("aria-busy");
    if (bytes === null) {
      this.area.wait("");
      this.missing();
      return;
    }
    const { cited } = this.options;
    const before = this.url;
    this.url = this.options.url(bytes);
    const image = h("img", { src: this.url, alt: this.label });
    image.addEventListener("load", () => {
      URL.revokeObjectURL(before);
      if (this.isRevealed || cited?.page !== page) return;
      this.isRevealed = true;
      this.area.reveal(cited.top);
    });
    this.area.show(image, this.label);
  }

  showText(page: number, content: ContentPart): void {
    if (page !== this.page) return;
    const heading = h("h2", {}, l10n.t("Text of this page"));
    const none = content.text === "" && h("p", { class: "quiet" }, l10n.t("No text was read on this page."));
    this.text.replaceChildren(heading, ...(none ? [none] : []), renderContent(content, "", "printed"));
  }

  key(event: KeyboardEvent): boolean {
    if (this.area.key(event)) return true;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!isPlain || this.area.scrollsSideways) return false;
    if (event.key === "ArrowLeft") this.go(this.page - 1);
    else if (event.key === "ArrowRight") this.go(this.page + 1);
    else return false;
    return true;
  }

  private get label(): string {
    const page =
      this.pageCount === null ? l10n.t("Page {0}", this.page) : l10n.t("Page {0} of {1}", this.page, this.pageCount);
    return this.options.cited?.page === this.page ? l10n.t("{0}, with the cited passage marked", page) : page;
  }

  private go(page: number): void {
    const last = this.pageCount ?? Number.MAX_SAFE_INTEGER;
    if (Number.isInteger(page) && page >= 1 && page <= last && page !== this.page) {
      this.page = page;
      this.text.replaceChildren();
      this.area.element.scrollTop = 0;
      this.request();
      this.options.changed(this.page, this.zoom);
    }
    this.drawTools();
  }

  /** A page behind the last one, of a document that does not tell how many it has. */
  private missing(): void {
    if (this.pageCount !== null || this.page === 1) return;
    this.pageCount = this.page - 1;
    this.go(this.pageCount);
  }

  private zoomed(zoom: Zoom): void {
    this.zoom = zoom;
    this.enlarged();
    this.options.changed(this.page, zoom);
  }

  /** A picture that is drawn larger than it was made is made anew. */
  private enlarged(): void {
    if (this.area.pixels > this.width * 1.2 && this.width < WIDEST) this.request();
  }

  private request(): void {
    this.width = Math.min(WIDEST, Math.max(NARROWEST, this.area.pixels));
    this.area.element.setAttribute("aria-busy", "true");
    this.area.wait(l10n.t("Loading page {0}…", this.page));
    this.options.load(this.page, this.width);
  }

  private drawTools(): void {
    this.field.value = String(this.page);
    this.field.max = this.pageCount === null ? "" : String(this.pageCount);
    this.total.textContent = this.pageCount === null ? "" : l10n.t("of {0}", this.pageCount);
    this.previous.disabled = this.page <= 1;
    this.next.disabled = this.pageCount !== null && this.page >= this.pageCount;
  }
}
