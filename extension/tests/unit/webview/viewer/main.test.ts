// @vitest-environment jsdom
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import type { Shown, ViewerMessageToExtension, ViewerMessageToWebview, ViewerState } from "../../../../src/protocol/viewer";

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
  body: { kind: "content", content: { text: "", lines: [], before: null, after: null } },
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
  URL.createObjectURL = () => "blob:picture";
  URL.revokeObjectURL = () => undefined;
  Element.prototype.scrollIntoView = () => undefined;
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
      content: { text: "The text", lines: [[0, 1]], before: null, after: null },
    });
    expect(document.querySelector("img")?.alt).toBe("Page 2 of 3, with the cited passage marked");
    expect(document.querySelector(".page-text .passage")?.textContent).toBe("The text");
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
    const content = { text: "See [it](https://example.com/a)", lines: [], before: null, after: 200 };
    say({ type: "shown", shown: { ...pdf, note: "The file is gone.", body: { kind: "content", content } } });
    expect(document.querySelector(".note")?.textContent).toBe("The file is gone.");
    document.querySelector("a")?.click();
    button("Open File").click();
    button("Copy Passage").click();
    button("Show Later Part").click();
    expect(sent).toEqual([
      { type: "link.open", href: "https://example.com/a" },
      { type: "original.open" },
      { type: "passage.copy" },
      { type: "content.load", docId: "d1", from: 200 },
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

  it("says why nothing is shown, and tries again", () => {
    say({ type: "failed", message: "The document was deleted.", advice: "Ask again." });
    expect(document.querySelector('[role="alert"]')?.textContent).toContain("The document was deleted.");
    button("Try Again").click();
    expect(last("reload")).toEqual({ type: "reload" });
  });
});
