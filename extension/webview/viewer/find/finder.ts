/** A search in the document that is open: its texts are asked for once, its hits are gone through one by one. */

import type { DocumentText } from "../../../src/protocol/viewer";
import { FindBar } from "./findBar";
import { hitRanges, markHits, revealRange } from "./marks";
import { needleOf, search, stretchesOfContent, stretchesOfPages, type Hit, type Stretch } from "./search";

/** What is searched in, as it stands on the screen. */
export interface Findable {
  /** Where hits are marked. */
  readonly roots: readonly Element[];
  /** Text in these (a selector) plays no part. */
  readonly without: string;
  /** What is scrolled until a hit is seen (a selector). */
  readonly scrollers: string;
  /** Brings the part of the document with a hit onto the screen: true when it is there already, else `drawn` follows. */
  bring(hit: Hit): boolean;
  /** Which of these hits are on the screen now. */
  isShown(hit: Hit): boolean;
}

export class Finder {
  readonly bar: FindBar;
  private stretches: Promise<Stretch[]> | undefined;
  private arrive: ((text: DocumentText) => void) | undefined;
  private hits: Hit[] = [];
  private at = 0;
  private query = "";
  private isBrought = false;

  constructor(
    private readonly view: Findable,
    private readonly load: () => void,
  ) {
    this.bar = new FindBar({
      changed: (query) => void this.find(query),
      step: (by) => this.step(by),
      closed: () => this.forget(),
    });
  }

  /** The text that was asked for. */
  arrived(text: DocumentText): void {
    this.arrive?.(text);
  }

  /** It could not be had; the extension has said why. The next search asks again. */
  failed(): void {
    this.stretches = undefined;
    this.forget();
  }

  /** Something else is on the screen: its hits are marked, the current one is shown. */
  drawn(): void {
    if (this.query === "") return;
    const needle = needleOf(this.query);
    const found = this.view.roots.map((root) => hitRanges(root, needle, this.view.without));
    const here = this.hits.filter((hit) => this.view.isShown(hit));
    const current = this.hits[this.at];
    const nth = current && this.view.isShown(current) ? this.at - this.hits.indexOf(here[0] ?? current) : -1;
    // The shown text may have fewer: what was read holds some words that are only drawn on the page.
    const marked = nth < 0 ? [] : found.flatMap((ranges) => ranges[Math.min(nth, ranges.length - 1)] ?? []);
    markHits(found.flat(), marked);
    if (!this.isBrought || marked.length === 0) return;
    this.isBrought = false;
    for (const range of marked) revealRange(range, this.view.scrollers);
  }

  private async find(query: string): Promise<void> {
    this.query = query;
    if (query.trim() === "") {
      this.forget();
      return;
    }
    this.bar.show("busy");
    this.stretches ??= new Promise<DocumentText>((resolve) => {
      this.arrive = resolve;
      this.load();
    }).then((text) =>
      "pages" in text ? stretchesOfPages(text.pages) : stretchesOfContent(text.markdown, text.merged),
    );
    const stretches = await this.stretches;
    if (query !== this.query) return;
    this.hits = search(stretches, query);
    // From what is on the screen on, as people read.
    this.at = Math.max(
      0,
      this.hits.findIndex((hit) => this.view.isShown(hit)),
    );
    this.go();
  }

  /** To the next hit, or the one before; from the last to the first. */
  step(by: 1 | -1): void {
    if (this.hits.length === 0) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.go();
  }

  private go(): void {
    const hit = this.hits[this.at];
    this.bar.show({ at: this.at, total: this.hits.length });
    this.isBrought = hit !== undefined;
    if (!hit || this.view.bring(hit)) this.drawn();
  }

  private forget(): void {
    this.query = "";
    this.hits = [];
    this.bar.show(null);
    markHits([], []);
  }
}
