// @vitest-environment jsdom
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import type { SlideCard } from "../../../../src/protocol/viewer";
import { ContentView } from "../../../../webview/viewer/contentView";
import { PagesView } from "../../../../webview/viewer/pages";
import { Pictures } from "../../../../webview/viewer/pictures";

class Nothing {
  observe(): void {
    return undefined;
  }
  unobserve(): void {
    return undefined;
  }
}

beforeAll(() => {
  vi.stubGlobal("ResizeObserver", Nothing);
  vi.stubGlobal("IntersectionObserver", Nothing);
  Element.prototype.scrollIntoView = () => undefined;
});

const key = (name: string, more: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key: name, ...more });

function find(root: Element, selector: string): Element {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`There is no ${selector}.`);
  return found;
}

/** Gives an element that is taller than what is seen of it. */
function scrolls(element: Element, height: number, seen: number): void {
  let at = 0;
  Object.defineProperties(element, {
    clientHeight: { value: seen },
    scrollTop: { get: () => at, set: (wanted: number) => (at = Math.min(height - seen, Math.max(0, wanted))) },
  });
}

describe("pages", () => {
  const load = vi.fn();
  let view: PagesView;

  beforeEach(() => {
    load.mockClear();
    view = new PagesView({
      ...{ page: 2, pageCount: 3, zoom: "width", cited: null, sentences: [], load, url: () => "" },
      ...{ loadText: () => undefined, changed: () => undefined, drawn: () => undefined },
    });
  });

  it("are turned by the arrows, and by the page keys where all of one is seen", () => {
    expect(
      ["ArrowRight", "ArrowRight", "ArrowLeft", "PageUp", "PageUp", "PageDown"].map((name) => view.key(key(name))),
    ).not.toContain(false);
    expect(load.mock.calls.map(([page]) => page as number)).toEqual([3, 2, 1, 2]);
  });

  it("are scrolled by the page keys first, and turned at their ends", () => {
    scrolls(find(view.element, ".zoom-area"), 1500, 1000);
    view.key(key("PageDown"));
    expect(load).not.toHaveBeenCalled();
    view.key(key("PageDown"));
    expect(load.mock.lastCall?.[0]).toBe(3);
    view.key(key("PageUp"));
    expect(load.mock.lastCall?.[0]).toBe(2);
  });

  it("are not turned by keys that go with others", () => {
    expect([view.key(key("ArrowRight", { altKey: true })), view.key(key("PageDown", { ctrlKey: true }))]).toEqual([false, false]);
    expect(load).not.toHaveBeenCalled();
  });

  it("say the keys beside their buttons", () => {
    expect([...(view.tools[0]?.querySelectorAll("button") ?? [])].map((button) => button.title)).toEqual([
      "Previous page (Left, Page Up)",
      "Next page (Right, Page Down)",
    ]);
  });
});

describe("slides", () => {
  const reached = vi.fn();
  const text = "## One\n\na\n\n## Two\n\nb\n\n## Three\n\nc";
  const slides: SlideCard[] = ["One", "Two", "Three"].map((title, index) => ({
    ...{ number: index + 1, title, offset: text.indexOf(`## ${title}`), ratio: 1.5, blocks: [] },
  }));

  function deck(slide = 1): ContentView {
    const nothing = () => undefined;
    const view = new ContentView({
      ...{ title: "Deck", place: "", sentences: [], sheets: [], slides, isMarkdown: false, slide, zoom: 1, reached },
      ...{ pictures: new Pictures(nothing), openImage: nothing, load: nothing, zoomed: nothing },
    });
    const part = { text, start: 0, lines: [], rows: [], merged: [], before: null, after: null };
    view.show(
      { ...part, slides: slides.map(({ number, title, offset }) => ({ number, title, start: offset, ratio: 1.5, blocks: [] })) },
      "top",
    );
    reached.mockClear();
    return view;
  }

  it("are gone through by the arrows and the page keys, not beyond the ends", () => {
    const view = deck();
    for (const name of ["ArrowRight", "PageDown", "ArrowRight", "ArrowLeft", "PageUp", "ArrowLeft"])
      expect(view.key(key(name))).toBe(true);
    expect(reached.mock.calls.flat()).toEqual([2, 3, 2, 1]);
  });

  it("are gone through by buttons that say so, from the one that is shown first", () => {
    const view = deck(3);
    const [previous, place, next] = [...(view.tools[0]?.children ?? [])] as [HTMLButtonElement, HTMLElement, HTMLButtonElement];
    expect([previous.title, place.textContent, next.title]).toEqual([
      "Previous slide (Left, Page Up)",
      "3 of 3",
      "Next slide (Right, Page Down)",
    ]);
    expect(next.disabled).toBe(true);
    previous.click();
    expect([reached.mock.lastCall, place.textContent, next.disabled]).toEqual([[2], "2 of 3", false]);
  });

  it("are scrolled by the page keys while one is longer than the screen", () => {
    const view = deck();
    const article = find(view.element, ".content");
    scrolls(article, 3000, 500);
    article.getBoundingClientRect = () => ({ top: 0, bottom: 500 }) as DOMRect;
    find(article, ".slide").getBoundingClientRect = () => ({ top: 0, bottom: 900 }) as DOMRect;
    view.key(key("PageDown"));
    expect([article.scrollTop, reached.mock.calls]).toEqual([450, []]);
  });
});
