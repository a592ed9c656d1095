/**
 * The page of a long answer in parts, so that what is far from the end costs nothing while the end grows: a part that is
 * full is measured once, and the browser then leaves it out of its work while it is out of sight.
 */

import { h } from "./dom";

/** Blocks in a part. */
const FULL = 24;

export class Parts {
  private current: HTMLElement | undefined;
  private blocks = 0;
  private readonly full: HTMLElement[] = [];

  constructor(private readonly root: HTMLElement) {}

  /** Where the next block goes. `joins`: it must stand with the one before. */
  next(joins: boolean): HTMLElement {
    if (this.current === undefined || (this.blocks >= FULL && !joins)) this.begin();
    this.blocks += 1;
    return this.here();
  }

  here(): HTMLElement {
    return this.current ?? this.begin();
  }

  /** Parts that were filled since the last time leave the browser's work. All are measured before one is changed. */
  seal(): void {
    const heights = this.full.map((part) => part.offsetHeight);
    this.full.splice(0).forEach((part, index) => {
      part.style.containIntrinsicHeight = `auto ${heights[index] ?? 0}px`;
      part.classList.add("sealed");
    });
  }

  /** Blocks were taken out: empty parts go, and the last one is open to change. */
  cut(): void {
    for (const part of [...this.root.children]) if (part.childElementCount === 0) part.remove();
    this.root.lastElementChild?.classList.remove("sealed");
    this.full.length = 0;
    this.current = undefined;
  }

  private begin(): HTMLElement {
    if (this.current) this.full.push(this.current);
    this.current = h("div", { class: "part" });
    this.root.append(this.current);
    this.blocks = 0;
    return this.current;
  }
}
