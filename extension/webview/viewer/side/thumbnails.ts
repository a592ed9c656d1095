/** Small pictures of a document's pages; each is asked for when it comes into sight. */

import * as l10n from "@vscode/l10n";

import { h } from "../../shared/dom";
import { VirtualList } from "./virtualList";

const ROW_HEIGHT = 156;
/** Pictures that are asked for at a time: those that have gone out of sight meanwhile are not. */
const AT_A_TIME = 2;
/** Pictures that are kept. */
const MOST = 300;
export const THUMBNAIL_WIDTH = 180;

export class Thumbnails {
  readonly list: VirtualList;
  private readonly urls = new Map<number, string>();
  private readonly asked = new Set<number>();
  private readonly failed = new Set<number>();
  private seen: [number, number] = [0, -1];

  constructor(
    private readonly pageCount: number,
    private readonly load: (page: number) => void,
    open: (page: number) => void,
  ) {
    this.list = new VirtualList({
      label: l10n.t("Pages"),
      count: pageCount,
      rowHeight: ROW_HEIGHT,
      draw: (index) => ({ name: l10n.t("Page {0}", index + 1), content: this.thumbnail(index + 1) }),
      open: (index) => open(index + 1),
      seen: (first, last) => {
        this.seen = [first + 1, last + 1];
        this.ask();
      },
    });
  }

  /** `url` is empty for a page that can't be drawn. */
  arrived(page: number, url: string): void {
    this.asked.delete(page);
    if (url === "") this.failed.add(page);
    else this.keep(page, url);
    this.list.row(page - 1)?.replaceChildren(this.thumbnail(page));
    this.ask();
  }

  private keep(page: number, url: string): void {
    this.urls.set(page, url);
    const oldest = this.urls.keys().next().value;
    if (this.urls.size <= MOST || oldest === undefined) return;
    URL.revokeObjectURL(this.urls.get(oldest) ?? "");
    this.urls.delete(oldest);
  }

  private ask(): void {
    const [first, last] = this.seen;
    for (let page = first; page <= last && page <= this.pageCount; page += 1) {
      if (this.asked.size >= AT_A_TIME) return;
      if (this.urls.has(page) || this.asked.has(page) || this.failed.has(page)) continue;
      this.asked.add(page);
      this.load(page);
    }
  }

  private thumbnail(page: number): HTMLElement {
    const url = this.urls.get(page);
    const picture = url === undefined ? h("span", { class: "blank" }) : h("img", { src: url, alt: "" });
    return h("span", { class: "thumbnail" }, picture, h("span", { class: "thumbnail-number" }, String(page)));
  }
}
