/** A PDF by its pages: pictures of them with the passage marked, and their text beside. */

import * as l10n from "@vscode/l10n";

import type { PageContents, PageLine, Zoom } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { locate, wrap } from "../shared/sentences";
import type { Findable } from "./find/finder";
import type { Hit } from "./find/search";
import { drawParagraphs } from "./pageText";
import { textLayer } from "./textLayer";
import { scrollOn, scrollsSideways, turn, turnButton } from "./turning";
import { ZoomArea } from "./zoomArea";

export interface PagesOptions {
  page: number;
  pageCount: number | null;
  zoom: Zoom;
  /** The cited page, and how far down on it the passage begins, as a fraction. */
  cited: { page: number; top: number } | null;
  sentences: readonly string[];
  load(page: number, width: number): void;
  loadText(page: number): void;
  url(bytes: Uint8Array): string;
  /** The page or the zoom has changed. */
  changed(page: number, zoom: Zoom): void;
  /** The text of the page stands over its picture. */
  drawn(): void;
}

const NARROWEST = 100;
const WIDEST = 3000;
/** Of a printed text, what plays no part: it has no labels of ours. */
const NOTHING = ".passage-label";

export class PagesView implements Findable {
  readonly element: HTMLElement;
  readonly without = "h2, .quiet";
  readonly scrollers = ".zoom-area, .page-text";
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
  /** How far down on the page the reader wants to be, as a fraction. */
  private top: number | undefined;
  private lines: readonly PageLine[] | undefined;
  /** Height of the shown page over its width; 0 while it is not there. */
  private ratio = 0;
  private layer: HTMLElement | undefined;

  constructor(private readonly options: PagesOptions) {
    this.page = options.page;
    this.pageCount = options.pageCount;
    this.zoom = options.zoom;
    this.area = new ZoomArea(options.zoom, this.label, (zoom) => this.zoomed(zoom));
    this.previous = turnButton(l10n.t("Previous"), l10n.t("Previous page (Left, Page Up)"), "←", () => this.turn(-1));
    this.next = turnButton(l10n.t("Next"), l10n.t("Next page (Right, Page Down)"), "→", () => this.turn(1));
    this.field = h("input", {
      ...{ type: "number", min: 1, class: "page-number", "aria-label": l10n.t("Page") },
      onchange: () => this.go(this.field.valueAsNumber),
    });
    const turning = h("span", { class: "group" }, this.previous, this.field, this.total, this.next);
    this.tools = [turning, h("span", { class: "gap" }), ...this.area.tools];
    this.element = h("div", { class: "pages" }, this.problem, this.area.element, this.text);
    this.drawTools();
  }

  /** To be called once it stands in the page: only then it has a width. */
  start(): void {
    this.request();
    this.options.loadText(this.page);
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
      if (page !== this.page) return;
      this.ratio = image.naturalHeight / Math.max(1, image.naturalWidth);
      this.drawLayer();
      if (!this.isRevealed && cited?.page === page) this.top ??= cited.top;
      this.isRevealed ||= this.top !== undefined;
      if (this.top !== undefined) this.area.reveal(this.top);
      this.top = undefined;
    });
    this.area.show(image, this.label);
  }

  showText(page: number, { lines, paragraphs: found, passages }: PageContents): void {
    if (page !== this.page) return;
    this.lines = lines;
    const paragraphs = drawParagraphs(found);
    const none = paragraphs.length === 0 && h("p", { class: "quiet" }, l10n.t("No text was read on this page."));
    this.text.replaceChildren(h("h2", {}, l10n.t("Text of this page")), ...(none ? [none] : []), ...paragraphs);
    markPassages(paragraphs, passages, this.options.sentences);
    this.drawLayer();
  }

  get roots(): readonly Element[] {
    return this.layer ? [this.layer, this.text] : [this.text];
  }

  bring(hit: Hit): boolean {
    if (this.isShown(hit) && this.layer) return true;
    if (hit.page !== null) this.go(hit.page);
    return false;
  }

  isShown(hit: Hit): boolean {
    return hit.page === this.page;
  }

  get shownPage(): number {
    return this.page;
  }

  key(event: KeyboardEvent): boolean {
    if (this.area.key(event)) return true;
    const turned = turn(event);
    if (!turned) return false;
    const { by, isScreen } = turned;
    const area = this.text.contains(event.target as Node) ? this.text : this.area.element;
    if (!isScreen && scrollsSideways(event.target, area)) return false;
    if (!isScreen || !scrollOn(area, by)) this.turn(by, isScreen && by < 0 ? 1 : null);
    return true;
  }

  /** `top` is how far down on the page that is shown then, as a fraction. */
  private turn(by: 1 | -1, top: number | null = null): void {
    if (!(by < 0 ? this.previous : this.next).disabled) this.open(this.page + by, top);
  }

  /** Goes to a page, and on it to a height as a fraction. */
  open(page: number, top: number | null = null): void {
    if (page === this.page) {
      if (top !== null) this.area.reveal(top);
      return;
    }
    this.top = top ?? undefined;
    this.go(page);
  }

  private drawLayer(): void {
    if (!this.lines || this.ratio === 0) return;
    this.layer = textLayer(this.lines, this.ratio);
    this.area.lay(this.layer);
    this.options.drawn();
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
      this.lines = this.layer = undefined;
      this.ratio = 0;
      this.area.lay(undefined);
      this.area.element.scrollTop = 0;
      this.request();
      this.options.loadText(this.page);
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

/** Marks what is cited on a page, and of it the sentences that bear the answer. A passage may reach beyond the page. */
function markPassages(paragraphs: readonly Node[], passages: readonly string[], sentences: readonly string[]): void {
  for (const passage of passages) {
    const whole = locate(paragraphs, passage, NOTHING);
    const ranges = whole ? [whole] : passage.split(/\n{2,}/).map((part) => locate(paragraphs, part, NOTHING));
    for (const range of ranges) if (range) wrap(range, () => h("span", { class: "passage" }), NOTHING);
  }
  for (const sentence of sentences) {
    const range = locate(paragraphs, sentence, NOTHING);
    if (range) wrap(range, () => h("mark", { class: "sentence" }), NOTHING);
  }
}
