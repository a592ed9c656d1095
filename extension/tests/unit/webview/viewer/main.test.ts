// @vitest-environment jsdom
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import type {
  PageLine,
  Shown,
  ViewerMessageToExtension,
  ViewerMessageToWebview,
  ViewerState,
} from "../../../../src/protocol/viewer";

const sent: ViewerMessageToExtension[] = [];
let kept: ViewerState | undefined;

const pdf: Shown = {
  target: {
    ...{ kind: "document", docId: "d1", title: "Spec", chunkIds: ["c1"] },
    ...{ place: { page: 2, section_path: [] }, content: "", sentences: ["text"], note: "" },
  },
  ...{
    title: "Spec",
    source: "papers/spec.pdf",
    place: "Page 2",
    note: "",
    openLabel: "Open File",
    body: { kind: "pages", page: 2, pageCount: 3 },
  },
};

function say(message: ViewerMessageToWebview): void {
  window.dispatchEvent(new MessageEvent("message", { data: message }));
}

const word = (text: string): PageLine["words"][number] => ({ text, box: [0.1, 0.2, 0.3, 0.25] });

function button(name: string): HTMLButtonElement {
  const found = [...document.querySelectorAll("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent) === name,
  );
  if (!found) throw new Error(`There is no button '${name}'.`);
  return found;
}

function last(type: ViewerMessageToExtension["type"]): ViewerMessageToExtension | undefined {
  return sent.findLast((message) => message.type === type);
}

const other: Shown = {
  ...{ target: { kind: "image", assetId: "x", title: "" }, title: "", source: "", place: "", note: "", openLabel: "" },
  body: {
    kind: "content",
    content: { text: "", start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: null },
    sheets: [],
    slides: null,
    isMarkdown: false,
  },
};

beforeAll(async () => {
  vi.stubGlobal("acquireVsCodeApi", () => ({
    postMessage: (message: ViewerMessageToExtension) => sent.push(message),
    getState: () => kept,
    setState: (state: ViewerState) => (kept = state),
  }));
  vi.stubGlobal(
    "ResizeObserver",
    vi.fn(
      class {
        observe = () => undefined;
      },
    ),
  );
  vi.stubGlobal(
    "IntersectionObserver",
    vi.fn(
      class {
        observe = () => undefined;
      },
    ),
  );
  vi.stubGlobal("CSS", { highlights: new Map() });
  vi.stubGlobal("Highlight", Set);
  // Without it the width of a text is guessed; jsdom has none and complains.
  HTMLCanvasElement.prototype.getContext = () => null;
  URL.createObjectURL = () => "blob:picture";
  URL.revokeObjectURL = () => undefined;
  Element.prototype.scrollIntoView = () => undefined;
  Object.defineProperty(HTMLImageElement.prototype, "naturalWidth", { value: 100 });
  Object.defineProperty(HTMLImageElement.prototype, "naturalHeight", { value: 150 });
  HTMLImageElement.prototype.decode = () => Promise.resolve();
  await import("../../../../webview/viewer/main");
  say({ type: "init", text: { Next: "次へ" }, language: "ja" });
});

// What one test left open and kept must not reach the next.
afterEach(() => {
  say({ type: "shown", shown: other });
  sent.length = 0;
});

describe("the viewer", () => {
  it("says that it listens, and speaks the editor's language", () => {
    say({ type: "shown", shown: pdf });
    expect(sent[0]).toEqual({ type: "ready" });
    expect(document.documentElement.lang).toBe("ja");
    expect(button("次へ").disabled).toBe(false);
  });

  it("asks for the cited page, and shows it with its text", () => {
    say({ type: "shown", shown: pdf });
    expect(last("page.load")).toMatchObject({ docId: "d1", page: 2 });
    say({ type: "page", docId: "d1", page: 2, width: 800, bytes: new Uint8Array([1]), problem: "" });
    say({
      type: "page.text",
      docId: "d1",
      page: 2,
      lines: [{ words: [word("Other"), word("_wor-")] }, { words: [word("ds_")] }, { words: [word("The"), word("<text>")] }],
      paragraphs: [
        { kind: "text", text: "Other _words_" },
        { kind: "text", text: "The <text>" },
      ],
      passages: ["The <text>"],
    });
    expect(document.querySelector("img")?.alt).toBe("Page 2 of 3, with the cited passage marked");
    expect(last("page.text.load")).toMatchObject({ docId: "d1", page: 2 });
    expect([...document.querySelectorAll(".printed")].map((one) => one.textContent)).toEqual(["Other _words_", "The <text>"]);
    expect(document.querySelector(".page-text .passage")?.textContent).toBe("The <text>");
    expect(document.querySelector(".page-text mark.sentence")?.textContent).toBe("text");
  });

  it("turns pages by button, key and number, not beyond the ends, and keeps the page", () => {
    say({ type: "shown", shown: pdf });
    button("次へ").click();
    expect(last("page.load")).toMatchObject({ page: 3 });
    expect(button("次へ").disabled).toBe(true);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    expect(last("page.load")).toMatchObject({ page: 2 });
    const field = document.querySelector("input");
    if (field) field.value = "1";
    field?.dispatchEvent(new Event("change"));
    expect(kept?.page).toBe(1);
    say({ type: "shown", shown: pdf });
    expect(last("page.load")).toMatchObject({ page: 1 });
  });

  it("learns from the end how many pages there are when nobody says", () => {
    say({ type: "shown", shown: { ...pdf, body: { kind: "pages", page: 2, pageCount: null } } });
    button("次へ").click();
    say({ type: "page", docId: "d1", page: 3, width: 800, bytes: null, problem: "There is no page 3." });
    expect(last("page.load")).toMatchObject({ page: 2 });
    expect(button("次へ").disabled).toBe(true);
    expect(document.querySelector(".problem")?.textContent).toBe("There is no page 3.");
  });

  it("shows what was read, with its note, and opens links and the file only by the extension", () => {
    const content = {
      text: "See [it](https://example.com/a)",
      start: 0,
      lines: [],
      rows: [],
      merged: [],
      slides: [],
      before: null,
      after: 200,
    };
    say({
      type: "shown",
      shown: {
        ...pdf,
        note: "The file is gone.",
        body: { kind: "content", content, sheets: [], slides: null, isMarkdown: false },
      },
    });
    expect(document.querySelector(".note")?.textContent).toBe("The file is gone.");
    document.querySelector("a")?.click();
    button("Open File").click();
    button("Copy Passage").click();
    button("Show Later Part").click();
    expect(sent).toEqual([
      { type: "link.open", href: "https://example.com/a" },
      { type: "original.open" },
      { type: "passage.copy" },
      { type: "content.load", docId: "d1", from: 200, isInside: false },
    ]);
  });

  it("shows a picture with the cited part framed", async () => {
    say({
      type: "shown",
      shown: { ...pdf, body: { kind: "picture", assetId: "ab", box: [0, 0.25, 0.5, 1], content: null } },
    });
    expect(last("image.load")).toMatchObject({ assetId: "ab", variant: "raw" });
    say({ type: "image", assetId: "ab", variant: "raw", bytes: new Uint8Array([1]), problem: "" });
    await vi.waitFor(() => expect(document.querySelector("img")?.src).toBe("blob:picture"));
    expect(document.querySelector<HTMLElement>(".zoom-mark")?.style.top).toBe("25%");
  });

  it("lays the words of a page over its picture, where they can be selected", () => {
    say({ type: "shown", shown: pdf });
    const lines = [{ words: [word("The"), word("valve")] }];
    say({ type: "page.text", docId: "d1", page: 2, lines, paragraphs: [], passages: [] });
    expect(document.querySelector(".text-layer")).toBeNull();
    say({ type: "page", docId: "d1", page: 2, width: 800, bytes: new Uint8Array([1]), problem: "" });
    document.querySelector("img")?.dispatchEvent(new Event("load"));
    const layer = document.querySelector(".zoom-frame .text-layer");
    expect(layer?.textContent).toBe("The valve");
    expect(layer?.querySelector("span")?.style.left).toBe("10%");
    button("次へ").click();
    expect(document.querySelector(".text-layer")).toBeNull();
  });

  it("opens the search by its key, and asks for the whole text once somebody types", async () => {
    say({ type: "shown", shown: pdf });
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true }));
    const field = document.querySelector<HTMLInputElement>(".find input");
    expect(document.activeElement).toBe(field);
    if (field) field.value = "valve";
    field?.dispatchEvent(new Event("input"));
    await vi.waitFor(() => expect(last("text.load")).toEqual({ type: "text.load", docId: "d1" }));
    const pages = [1, 2, 3].map((page) => ({ page, text: page === 3 ? "a valve" : "" }));
    say({ type: "text", docId: "d1", text: { pages } });
    await vi.waitFor(() => expect(last("page.load")).toMatchObject({ page: 3 }));
    expect(document.querySelector(".find-count")?.textContent).toBe("1 of 1");
  });

  it("keeps what stands beside the document and how large its text is, over documents", () => {
    say({ type: "shown", shown: pdf });
    button("Outline").click();
    expect(last("outline.load")).toEqual({ type: "outline.load", docId: "d1" });
    const entry = { title: "Valves", level: 1, page: 3, top: 0.5, offset: null };
    say({ type: "outline", docId: "d1", entries: [entry] });
    document.querySelector<HTMLElement>('[role="option"]')?.click();
    expect(last("page.load")).toMatchObject({ page: 3 });
    const content = { text: "# One\n\ntext", start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: null };
    say({ type: "shown", shown: { ...pdf, body: { kind: "content", content, sheets: [], slides: null, isMarkdown: false } } });
    expect(kept?.side).toBe("outline");
    button("Zoom in").click();
    expect(kept?.textZoom).toBe(1.25);
    expect(document.querySelector<HTMLElement>(".content")?.style.fontSize).toBe("1.25em");
    button("Outline").click();
  });

  it("goes to a heading in another part of the content", () => {
    const content = { text: "# One\n\ntext", start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: 12 };
    say({ type: "shown", shown: { ...pdf, body: { kind: "content", content, sheets: [], slides: null, isMarkdown: false } } });
    button("Outline").click();
    const far = { title: "Far", level: 1, page: null, top: null, offset: 14 };
    say({ type: "outline", docId: "d1", entries: [far] });
    document.querySelector<HTMLElement>('[role="option"]')?.click();
    expect(last("content.load")).toEqual({ type: "content.load", docId: "d1", from: 14, isInside: true });
    const seen: Element[] = [];
    Element.prototype.scrollIntoView = function (this: Element) {
      seen.push(this);
    };
    const part = { text: "text\n\n# Far\n\nmore", start: 8, lines: [], rows: [], merged: [], slides: [], before: 0, after: null };
    say({ type: "content", docId: "d1", content: part });
    expect(seen.map((one) => one.textContent)).toEqual(["Far"]);
  });

  it("lays what was read in a picture over it, and frames it on demand", async () => {
    say({ type: "shown", shown: { ...pdf, body: { kind: "picture", assetId: "ab", box: null, content: null } } });
    say({ type: "image", assetId: "ab", variant: "raw", bytes: new Uint8Array([1]), problem: "" });
    await vi.waitFor(() => expect(last("image.text.load")).toEqual({ type: "image.text.load", assetId: "ab" }));
    say({ type: "image.text", assetId: "ab", lines: [{ words: [word("Pump 4")] }] });
    expect(document.querySelector(".text-layer span")?.textContent).toBe("Pump 4");
    button("Show Text Frames").click();
    expect(button("Show Text Frames").getAttribute("aria-pressed")).toBe("true");
    expect(document.querySelector<HTMLElement>(".framed .text-frame")?.style.top).toBe("20%");
  });

  it("shows the sheets of a workbook as tabs that the keyboard goes through", () => {
    const content = { text: "# One\n\ntext", start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: null };
    const sheets = [
      { title: "One", offset: 0 },
      { title: "Two", offset: 20 },
    ];
    say({ type: "shown", shown: { ...pdf, body: { kind: "content", content, sheets, slides: null, isMarkdown: false } } });
    const tabs = [...document.querySelectorAll<HTMLElement>('[role="tab"]')];
    expect(tabs.map((tab) => [tab.textContent, tab.getAttribute("aria-selected"), tab.tabIndex])).toEqual([
      ["One", "true", 0],
      ["Two", "false", -1],
    ]);
    tabs[0]?.focus();
    tabs[0]?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    expect(document.activeElement).toBe(tabs[1]);
    expect(last("content.load")).toEqual({ type: "content.load", docId: "d1", from: 20, isInside: true });
    say({ type: "content", docId: "d1", content: { ...content, text: "# Two", start: 20 } });
    expect(tabs[1]?.getAttribute("aria-selected")).toBe("true");
  });

  it("says why nothing is shown, and tries again", () => {
    say({ type: "failed", message: "The document was deleted.", advice: "Ask again." });
    expect(document.querySelector('[role="alert"]')?.textContent).toContain("The document was deleted.");
    button("Try Again").click();
    expect(last("reload")).toEqual({ type: "reload" });
  });
});
