/**
 * Markdown as it is written, at a cost that grows with its length alone.
 *
 * Blocks that are done are rendered once and never touched again; only the open block is, once a frame at most and, when
 * it is long, not before it has grown by a share (what is new stands behind it as plain text until then). A frame
 * renders for a few milliseconds; what is left waits for the next one.
 */

import { BlockSplitter, type Block } from "./blocks";
import { CodeBlock, frameCode, type CodeActions } from "./code";
import { h } from "./dom";
import { requestDraw } from "./frames";
import { closeOpenMarks, renderMarkdown } from "./markdown";
import { boxTables, continueTable } from "./markdownTables";
import { drawMath } from "./math";
import { Parts } from "./parts";
import { boxTasks } from "./tasks";

/** An open block up to this long is rendered at each frame. */
const SHORT = 800;
const GROWTH = 1.15;

export interface StreamOptions extends CodeActions {
  /** Put what is ours (citations) into freshly rendered elements. */
  decorate(root: ParentNode & Node): void;
  /** Something was drawn. */
  drawn(): void;
}

interface Piece {
  block: Block;
  nodes: ChildNode[];
}

export class StreamedMarkdown {
  readonly element = h("div", { class: "markdown" });
  private splitter = new BlockSplitter();
  private text = "";
  private ended = false;
  private readonly waiting: Block[] = [];
  private readonly pieces: Piece[] = [];
  private list: Element | undefined;
  private table: HTMLTableElement | undefined;
  private readonly parts = new Parts(this.element);
  private code: CodeBlock | undefined;
  private tail: { start: number; length: number; nodes: ChildNode[]; more: Text } | undefined;
  private readonly waiters: (() => void)[] = [];

  constructor(private readonly options: StreamOptions) {}

  get isWhole(): boolean {
    return this.ended;
  }

  push(piece: string): void {
    this.text += piece;
    this.waiting.push(...this.splitter.push(piece));
    this.schedule();
  }

  /** No more comes. Resolves when all is drawn. */
  async finish(): Promise<void> {
    if (!this.ended) this.waiting.push(...this.splitter.finish());
    this.ended = true;
    this.schedule();
    await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  /** The text is this after all. Blocks up to the first difference stay as they are. */
  replace(text: string): void {
    if (text === this.text) return;
    const old = this.text;
    let same = 0;
    while (same < old.length && same < text.length && old[same] === text[same]) same += 1;
    // A text that was finished and goes on, or that differs: begin anew at the block where it does.
    if (same === old.length && !this.ended) {
      this.push(text.slice(same));
      return;
    }
    let first = this.pieces.findIndex((piece) => piece.block.end >= same);
    if (first === -1) first = this.pieces.length;
    while (first > 0 && (this.pieces[first]?.block.joins ?? true)) first -= 1;
    const from = this.pieces[first]?.block.start ?? 0;
    // The height stays for now, so that the place where somebody reads does not jump.
    this.element.style.minHeight = `${this.element.offsetHeight}px`;
    this.dropTail();
    this.code?.element.remove();
    for (const piece of this.pieces.splice(first)) for (const node of piece.nodes) node.remove();
    this.waiting.length = 0;
    this.list = this.table = this.code = undefined;
    this.parts.cut();
    this.ended = false;
    this.splitter = new BlockSplitter(from);
    this.text = text.slice(0, from);
    this.push(text.slice(from));
  }

  /** Elements of the blocks between two offsets of the text, with the offset where each block begins. */
  *blocksBetween(start: number, end: number): Iterable<{ block: Block; nodes: ChildNode[] }> {
    let [low, high] = [0, this.pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.pieces[middle]?.block.end ?? Infinity) > start) high = middle;
      else low = middle + 1;
    }
    for (let at = low; at < this.pieces.length; at += 1) {
      const piece = this.pieces[at];
      if (!piece || piece.block.start >= end) return;
      yield piece;
    }
  }

  private schedule(): void {
    requestDraw(this);
  }

  /** One turn of drawing, up to a time; whether all is drawn. */
  draw(until: number): boolean {
    if (this.waiting.length > 0) this.dropTail();
    do {
      const block = this.waiting.shift();
      if (block === undefined) break;
      this.place(block);
    } while (performance.now() < until);
    const all = this.waiting.length === 0;
    this.parts.seal();
    if (all) this.settle();
    this.options.drawn();
    return all;
  }

  /** All blocks that are done are drawn: now the open one. */
  private settle(): void {
    const open = this.ended ? undefined : this.splitter.tail();
    if (open === undefined) this.dropTail();
    else this.drawTail(open);
    if (!this.ended) return;
    this.element.style.minHeight = "";
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  private place(block: Block): void {
    if (block.kind === "code") {
      const nodes = this.code === undefined || !this.element.contains(this.code.element) ? this.beginCode(block) : [];
      this.code?.add(block.source);
      // The frame was put there for the open block, before its first part was done.
      this.pieces.push({ block, nodes: nodes.length > 0 || block.joins ? nodes : this.codeNodes() });
      if (block.last) {
        this.code?.finish();
        this.code = undefined;
      }
      return;
    }
    this.pieces.push({ block, nodes: this.insert(block, block.source, true) });
  }

  private codeNodes(): ChildNode[] {
    return this.code ? [this.code.element] : [];
  }

  private beginCode(block: Block): ChildNode[] {
    this.code = new CodeBlock(block.language, this.options);
    this.parts.next(false).append(this.code.element);
    this.list = this.table = undefined;
    return [this.code.element];
  }

  private drawTail(open: Block): void {
    if (open.kind === "code") {
      this.dropTail();
      if (this.code === undefined) this.beginCode(open);
      this.code?.setTail(open.source);
      return;
    }
    const length = open.source.length;
    const tail = this.tail;
    if (tail?.start === open.start && length > SHORT && length < tail.length * GROWTH && open.kind !== "table") {
      tail.more.data = open.source.slice(tail.length);
      return;
    }
    this.dropTail();
    const { list, table } = this;
    const nodes = this.insert(open, closeOpenMarks(open.source), false);
    [this.list, this.table] = [list, table];
    const more = document.createTextNode("");
    lastElement(nodes)?.append(more);
    this.tail = { start: open.start, length, nodes, more };
  }

  private dropTail(): void {
    for (const node of this.tail?.nodes ?? []) node.remove();
    this.tail = undefined;
  }

  /** Render a block and put it where it belongs; what came new into the page is returned. */
  private insert(block: Block, source: string, finished: boolean): ChildNode[] {
    const fragment = renderMarkdown(source);
    frameCode(fragment, this.options, finished);
    boxTables(fragment, (text) => this.options.copy(text));
    boxTasks(fragment);
    // Half a formula would be an error.
    if (finished) drawMath(fragment);
    this.options.decorate(fragment);
    const [into, content] = this.destination(block, fragment, finished);
    const nodes = [...content.childNodes].filter((node) => node instanceof Element || node.textContent?.trim() !== "");
    into.append(...nodes);
    return nodes;
  }

  private destination(block: Block, fragment: DocumentFragment, finished: boolean): [ParentNode, ParentNode & Node] {
    const first = fragment.firstElementChild;
    const { list, table } = this;
    this.list = this.table = undefined;
    const part = finished ? this.parts.next(block.joins && block.kind === "code") : this.parts.here();
    if (block.kind === "item" && first !== null) {
      this.list = first;
      if (!block.joins || list === undefined) return [part, fragment];
      if (part.contains(list)) {
        this.list = list;
        return [list, first];
      }
      // The list goes on in the next part: with the next number, whatever its source says.
      const { start } = list as HTMLOListElement;
      if (first.tagName === "OL") first.setAttribute("start", String(start + list.childElementCount));
      first.classList.add("continued");
    } else if (block.kind === "table") {
      const next = fragment.querySelector("table");
      this.table = next ?? undefined;
      if (block.joins && table && next?.parentElement) {
        continueTable(table, next);
        if (part.contains(table)) return [table.parentElement ?? part, next.parentElement];
        next.parentElement.classList.add("continued");
      }
    } else if (block.joins) first?.classList.add("continued");
    return [part, fragment];
  }
}

function lastElement(nodes: ChildNode[]): Element | undefined {
  let last: Element | undefined = nodes.filter((node) => node instanceof Element).at(-1);
  while (last?.lastElementChild && !last.matches("p, h1, h2, h3, h4, h5, h6")) last = last.lastElementChild;
  return last;
}
