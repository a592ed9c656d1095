/** A long list of which only the rows in sight are drawn; gone through by the keyboard, opened by Enter or a click. */

import { h } from "../../shared/dom";

export interface VirtualListOptions {
  label: string;
  count: number;
  /** Of every row, in pixels. */
  rowHeight: number;
  /** What a row shows; `h` makes it anew each time that it comes into sight. */
  draw(index: number): { name: string; content: Node; level?: number };
  open(index: number): void;
  /** The rows in sight have changed. */
  seen?(first: number, last: number): void;
}

/** Rows drawn beyond those in sight, on each side. */
const MORE = 4;
let lists = 0;

export class VirtualList {
  readonly element: HTMLElement;
  private readonly sizer = h("div", { class: "rows", role: "presentation" });
  private readonly id = `list-${(lists += 1)}`;
  private readonly rows = new Map<number, HTMLElement>();
  private active = 0;
  private current = -1;

  constructor(private readonly options: VirtualListOptions) {
    this.element = h(
      "div",
      {
        ...{ class: "virtual-list", role: "listbox", tabindex: 0, "aria-label": options.label },
        onkeydown: (event) => this.key(event),
        onscroll: () => this.draw(),
        onclick: (event) => this.clicked(event),
      },
      this.sizer,
    );
    this.sizer.style.height = `${options.count * options.rowHeight}px`;
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Marks the row of what is shown, and brings it into sight; -1 for none. */
  mark(index: number): void {
    if (index === this.current) return;
    this.current = index;
    if (index >= 0) this.activate(index);
    for (const [row, element] of this.rows) element.setAttribute("aria-selected", String(row === index));
  }

  /** Draws the rows in sight, once the list stands in the page. */
  draw(): void {
    const { count, rowHeight } = this.options;
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - MORE);
    const last = Math.min(
      count - 1,
      Math.ceil((this.element.scrollTop + this.element.clientHeight) / rowHeight) + MORE,
    );
    for (const [index, row] of this.rows) {
      if (index >= first && index <= last) continue;
      row.remove();
      this.rows.delete(index);
    }
    for (let index = first; index <= last; index += 1) {
      if (!this.rows.has(index)) this.add(index);
    }
    this.pointAtActive();
    this.options.seen?.(first, last);
  }

  /** A row that is drawn now. */
  row(index: number): HTMLElement | undefined {
    return this.rows.get(index);
  }

  private add(index: number): void {
    const { name, content, level } = this.options.draw(index);
    const row = h(
      "div",
      {
        ...{ id: `${this.id}-${index}`, class: "row", role: "option", "aria-label": name, title: name },
        "aria-selected": String(index === this.current),
        "aria-setsize": this.options.count,
        "aria-posinset": index + 1,
        "data-index": index,
      },
      content,
    );
    if (level !== undefined) row.style.setProperty("--level", String(level));
    row.style.top = `${index * this.options.rowHeight}px`;
    row.style.height = `${this.options.rowHeight}px`;
    row.classList.toggle("active", index === this.active);
    this.rows.set(index, row);
    const after = this.rows.get(index + 1);
    // In the order of the document, for those who read by it.
    if (after) after.before(row);
    else this.sizer.append(row);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.options.rowHeight) - 1);
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const step = by[event.key];
    if (step !== undefined) this.activate(this.active + step);
    else if (event.key === "Home") this.activate(0);
    else if (event.key === "End") this.activate(this.options.count - 1);
    else if (event.key === "Enter" || event.key === " ") this.options.open(this.active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private clicked(event: MouseEvent): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>(".row") : null;
    if (!row) return;
    this.activate(Number(row.dataset["index"]));
    this.options.open(this.active);
  }

  private activate(wanted: number): void {
    const index = Math.min(this.options.count - 1, Math.max(0, wanted));
    this.rows.get(this.active)?.classList.remove("active");
    this.active = index;
    const { rowHeight } = this.options;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + rowHeight - clientHeight;
    this.draw();
  }

  private pointAtActive(): void {
    const row = this.rows.get(this.active);
    row?.classList.add("active");
    if (row) this.element.setAttribute("aria-activedescendant", row.id);
    else this.element.removeAttribute("aria-activedescendant");
  }
}
