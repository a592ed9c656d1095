/** A block of code: its language, buttons to copy and insert it, and colours once it is done. */

import * as l10n from "@vscode/l10n";

import { drawDiagram } from "./diagram";
import { h } from "./dom";
import { icon } from "./icons";

/** Longer code stays in one colour: colouring it in one go would hold up the webview. */
const LONGEST_COLOURED = 12_000;

export interface CodeActions {
  copy(text: string): void;
  insert(text: string): void;
}

export class CodeBlock {
  readonly element: HTMLElement;
  private readonly pre: HTMLPreElement;
  private readonly code = h("code");
  /** The part that is still being written. */
  private readonly tail = document.createTextNode("");
  private readonly parts: string[] = [];

  constructor(
    private readonly language: string,
    actions: CodeActions,
  ) {
    const name = language === "" ? l10n.t("Code") : language;
    const button = (label: string, glyph: "copy" | "insert", act: (text: string) => void) =>
      h(
        "button",
        { type: "button", class: "ghost", title: label, "aria-label": label, onclick: () => act(this.text) },
        icon(glyph),
      );
    this.pre = h("pre", { tabindex: 0, role: "group", "aria-label": l10n.t("Code: {0}", name) }, this.code);
    this.code.append(this.tail);
    this.element = h(
      "div",
      { class: "code" },
      h(
        "div",
        { class: "code-head" },
        h("span", { class: "code-language" }, name),
        button(l10n.t("Copy code"), "copy", (text) => actions.copy(text)),
        button(l10n.t("Insert at cursor"), "insert", (text) => actions.insert(text)),
      ),
      this.pre,
    );
  }

  get text(): string {
    return [...this.parts, this.tail.data].filter((part) => part !== "").join("\n");
  }

  setTail(source: string): void {
    if (source.startsWith(this.tail.data)) this.tail.appendData(source.slice(this.tail.length));
    else this.tail.data = source;
  }

  /** A part that won't change any more. Parts are boxes of their own, so that growth lays out the last one only. */
  add(part: string): void {
    this.tail.data = "";
    if (part === "") return;
    this.parts.push(part);
    this.tail.before(h("span", { class: "code-part" }, part));
  }

  /** Nothing more comes: draw it or colour it, when there is time. */
  finish(): void {
    this.tail.data = "";
    if (this.language === "mermaid") {
      drawDiagram(this.pre, this.text);
      return;
    }
    if (this.language === "" || this.text.length > LONGEST_COLOURED) return;
    requestIdleCallback(() => void this.colour(), { timeout: 2000 });
  }

  private async colour(): Promise<void> {
    const { highlighted } = await import("./highlight");
    if (!this.element.isConnected) return;
    const coloured = highlighted(this.text, this.language.toLowerCase());
    if (coloured) this.code.replaceChildren(coloured);
  }
}

/** Code inside list items and quotes, which Markdown has made into `<pre>`, gets the same frame. */
export function frameCode(root: ParentNode, actions: CodeActions, finished: boolean): void {
  for (const pre of root.querySelectorAll("pre")) {
    const language = /language-(\S+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
    const block = new CodeBlock(language, actions);
    block.add(pre.textContent.replace(/\n$/, ""));
    pre.replaceWith(block.element);
    if (finished) block.finish();
  }
}
