/** A scrollable area with one picture, which can be enlarged and can have a part of it marked. */

import * as l10n from "@vscode/l10n";

import type { Zoom } from "../../src/protocol/viewer";
import { h } from "../shared/dom";

export type Box = readonly [number, number, number, number];

const STEP = 1.25;
const SMALLEST = 0.25;
const LARGEST = 6;

export class ZoomArea {
  readonly element = h("div", { class: "zoom-area", tabindex: 0, role: "region" });
  readonly tools: HTMLElement[];
  private readonly frame = h("div", { class: "zoom-frame" });
  private readonly amount = h("span", { class: "zoom-amount", role: "status" });
  private picture: HTMLElement | undefined;

  /** `changed` hears of every change of the zoom. */
  constructor(
    private zoom: Zoom,
    label: string,
    private readonly changed: (zoom: Zoom) => void,
  ) {
    this.element.setAttribute("aria-label", label);
    this.element.append(this.frame);
    this.tools = [
      h(
        "button",
        { title: l10n.t("Zoom out (-)"), "aria-label": l10n.t("Zoom out"), onclick: () => this.step(1 / STEP) },
        "−",
      ),
      this.amount,
      h(
        "button",
        { title: l10n.t("Zoom in (+)"), "aria-label": l10n.t("Zoom in"), onclick: () => this.step(STEP) },
        "+",
      ),
      h("button", { title: l10n.t("Fit width (0)"), onclick: () => this.set("width") }, l10n.t("Fit Width")),
      h("button", { onclick: () => this.set("whole") }, l10n.t("Fit Whole")),
    ];
    this.draw();
  }

  /** How many pixels of the screen the picture is wide. */
  get pixels(): number {
    return Math.round(this.element.clientWidth * this.factor * window.devicePixelRatio);
  }

  show(picture: HTMLElement, label: string, box: Box | null = null): void {
    this.picture = picture;
    this.element.setAttribute("aria-label", label);
    this.frame.replaceChildren(picture, ...(box ? [outline(box)] : []));
    this.draw();
  }

  /** Said in the place of the first picture, until it is there. */
  wait(text: string): void {
    if (!this.picture) this.frame.replaceChildren(h("p", { class: "quiet", role: "status" }, text));
  }

  /** Scrolls until a part of the picture is in sight, with some room above it. */
  reveal(top: number): void {
    this.element.scrollTop = Math.max(0, top * this.frame.offsetHeight - this.element.clientHeight / 4);
  }

  /** Whether it took the key for itself. */
  key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "+" || event.key === "=") this.step(STEP);
    else if (event.key === "-") this.step(1 / STEP);
    else if (event.key === "0") this.set("width");
    else return false;
    return true;
  }

  get scrollsSideways(): boolean {
    return this.element.scrollWidth > this.element.clientWidth + 1;
  }

  private get factor(): number {
    if (typeof this.zoom === "number") return this.zoom;
    if (this.zoom === "width" || !this.picture) return 1;
    const { offsetWidth, offsetHeight } = this.frame;
    return offsetHeight === 0
      ? 1
      : Math.min(1, (this.element.clientHeight / offsetHeight) * (offsetWidth / this.element.clientWidth));
  }

  private step(by: number): void {
    this.set(Math.min(LARGEST, Math.max(SMALLEST, this.factor * by)));
  }

  private set(zoom: Zoom): void {
    this.zoom = zoom;
    this.draw();
    this.changed(zoom);
  }

  private draw(): void {
    const factor = this.factor;
    this.frame.style.width = `${factor * 100}%`;
    this.amount.textContent = `${Math.round(factor * 100)} %`;
  }
}

function outline([left, top, right, bottom]: Box): HTMLElement {
  const element = h("div", { class: "zoom-mark", "aria-hidden": "true" });
  const percent = (fraction: number) => `${fraction * 100}%`;
  Object.assign(element.style, {
    left: percent(left),
    top: percent(top),
    width: percent(right - left),
    height: percent(bottom - top),
  });
  return element;
}
