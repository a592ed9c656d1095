/** A scrollable area with one picture, which can be enlarged and can have a part of it marked. */

import * as l10n from "@vscode/l10n";

import type { Box, Zoom } from "../../src/protocol/viewer";
import { h } from "../shared/dom";

const STEP = 1.25;
const SMALLEST = 0.25;
const LARGEST = 6;

export class ZoomArea {
  readonly element = h("div", { class: "zoom-area", tabindex: 0, role: "region" });
  readonly tools: HTMLElement[];
  private readonly frame = h("div", { class: "zoom-frame" });
  private readonly amount = h("span", { class: "zoom-amount", role: "status" });
  private picture: HTMLElement | undefined;
  private cover: HTMLElement | undefined;

  /** `changed` hears of every change of the zoom. */
  constructor(
    private zoom: Zoom,
    label: string,
    private readonly changed: (zoom: Zoom) => void,
  ) {
    this.element.setAttribute("aria-label", label);
    this.element.append(this.frame);
    this.tools = [
      zoomButtons(this.amount, (by) => this.step(by)),
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
    this.frame.replaceChildren(
      picture,
      ...(box ? [percentBox("zoom-mark", box)] : []),
      ...(this.cover ? [this.cover] : []),
    );
    this.draw();
  }

  /** Lays something over the picture, or takes it away. */
  lay(cover: HTMLElement | undefined): void {
    this.cover?.remove();
    this.cover = cover;
    if (cover && this.picture) this.frame.append(cover);
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
    const by = zoomStep(event.key);
    if (by === undefined) return false;
    if (by === 0) this.set("width");
    else this.step(by);
    return true;
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

/** Zoom out, the amount, zoom in, on one line; `step` takes a factor. */
export function zoomButtons(amount: HTMLElement, step: (by: number) => void): HTMLElement {
  const button = (title: string, label: string, by: number, sign: string) =>
    h("button", { title, "aria-label": label, onclick: () => step(by) }, sign);
  return h(
    "span",
    { class: "group" },
    button(l10n.t("Zoom out (-)"), l10n.t("Zoom out"), 1 / STEP, "−"),
    amount,
    button(l10n.t("Zoom in (+)"), l10n.t("Zoom in"), STEP, "+"),
  );
}

/** The factor that a key stands for; 0 for the size at the beginning. */
export function zoomStep(key: string): number | undefined {
  if (key === "+" || key === "=") return STEP;
  if (key === "-") return 1 / STEP;
  return key === "0" ? 0 : undefined;
}

/** A frame of this class around a part of the picture below it. */
export function percentBox(name: string, [left, top, right, bottom]: Box): HTMLElement {
  const element = h("div", { class: name, "aria-hidden": "true" });
  const percent = (fraction: number) => `${fraction * 100}%`;
  Object.assign(element.style, {
    left: percent(left),
    top: percent(top),
    width: percent(right - left),
    height: percent(bottom - top),
  });
  return element;
}
