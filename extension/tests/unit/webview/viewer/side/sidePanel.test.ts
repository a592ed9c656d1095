// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Box, OutlineEntry, SlideCard } from "../../../../../src/protocol/viewer";
import { Pictures } from "../../../../../webview/viewer/pictures";
import { SidePanel, type SidePanelOptions } from "../../../../../webview/viewer/side/sidePanel";

const options = {
  ...{ loadThumbnail: vi.fn(), loadOutline: vi.fn(), openPage: vi.fn(), openHeading: vi.fn(), changed: vi.fn() },
  openSlide: vi.fn(),
};
const ask = vi.fn();

const heading = (title: string, page: number | null, level = 1): OutlineEntry => ({
  ...{ title, level, page, top: 0.25, offset: page === null ? 40 : null },
});

function panel(more: Partial<SidePanelOptions> = {}): SidePanel {
  const made = new SidePanel({
    ...{ pageCount: 2000, slides: [], pictures: new Pictures(ask), tab: null, ...options, ...more },
  });
  document.body.replaceChildren(...made.buttons, made.element);
  made.start();
  return made;
}

const button = (name: string) => [...document.querySelectorAll("button")].find((one) => one.textContent === name);
const list = () => document.querySelector('[role="listbox"]') as HTMLElement;
const rows = () => [...document.querySelectorAll<HTMLElement>('[role="option"]')];
const press = (key: string) => list().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));

beforeEach(() => {
  for (const mock of Object.values(options)) mock.mockReset();
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe = () => undefined;
    },
  );
  URL.revokeObjectURL = () => undefined;
  Object.defineProperty(HTMLElement.prototype, "clientHeight", { value: 600, configurable: true });
});

describe("thumbnails", () => {
  it("draws the rows in sight of two thousand, and asks for two pictures at a time", () => {
    const side = panel();
    button("Pages")?.click();
    expect(options.changed).toHaveBeenLastCalledWith("pages");
    expect(rows().length).toBeLessThan(15);
    expect(rows()[0]?.getAttribute("aria-setsize")).toBe("2000");
    expect(options.loadThumbnail.mock.calls).toEqual([[1], [2]]);
    side.thumbnailArrived(1, "blob:one");
    expect(rows()[0]?.querySelector("img")?.src).toBe("blob:one");
    expect(options.loadThumbnail.mock.calls.at(-1)).toEqual([3]);
  });

  it("asks for those that are in sight now, not for all that were scrolled past", () => {
    const side = panel({ tab: "pages" });
    list().scrollTop = 156 * 1500;
    list().dispatchEvent(new Event("scroll"));
    side.thumbnailArrived(1, "blob:one");
    expect(options.loadThumbnail.mock.calls.at(-1)?.[0]).toBeGreaterThan(1490);
    expect(rows()[0]?.getAttribute("aria-label")).toMatch(/^Page 149\d$/);
  });

  it("does not ask for a page that can't be drawn again and again", () => {
    const side = panel({ pageCount: 2, tab: "pages" });
    side.thumbnailArrived(1, "");
    side.thumbnailArrived(2, "blob:two");
    list().dispatchEvent(new Event("scroll"));
    expect(options.loadThumbnail).toHaveBeenCalledTimes(2);
  });

  it("is gone through and opened by the keyboard, and follows the page that is shown", () => {
    const side = panel({ tab: "pages" });
    side.showPage(3);
    expect(rows().find((row) => row.getAttribute("aria-selected") === "true")?.dataset["index"]).toBe("2");
    press("ArrowDown");
    expect(list().getAttribute("aria-activedescendant")).toBe(rows().find((row) => row.dataset["index"] === "3")?.id);
    press("Enter");
    expect(options.openPage).toHaveBeenLastCalledWith(4);
    press("End");
    press(" ");
    expect(options.openPage).toHaveBeenLastCalledWith(2000);
    press("Home");
    rows()[1]?.click();
    expect(options.openPage).toHaveBeenLastCalledWith(2);
  });

  it("is not offered where nobody knows how many pages there are, or there is one", () => {
    panel({ pageCount: null });
    expect(button("Pages")).toBeUndefined();
    panel({ pageCount: 1 });
    expect(button("Pages")).toBeUndefined();
  });
});

describe("the outline", () => {
  it("is fetched when it is opened, once, and leads to its places", () => {
    const side = panel();
    expect(options.loadOutline).not.toHaveBeenCalled();
    button("Outline")?.click();
    side.outlineArrived([heading("One", 1), heading("Two", 5, 2), heading("Three", 9)]);
    expect(rows().map((row) => row.getAttribute("aria-label"))).toEqual(["One, page 1", "Two, page 5", "Three, page 9"]);
    expect(rows()[1]?.style.getPropertyValue("--level")).toBe("1");
    rows()[1]?.click();
    expect(options.openHeading).toHaveBeenCalledWith(heading("Two", 5, 2));
    side.showPage(7);
    expect(rows()[1]?.getAttribute("aria-selected")).toBe("true");
    button("Outline")?.click();
    expect(side.element.hidden).toBe(true);
    button("Outline")?.click();
    expect(options.loadOutline).toHaveBeenCalledTimes(1);
    expect(rows()).toHaveLength(3);
  });

  it("says that a document has no headings, also when it is opened again", () => {
    const side = panel({ tab: "outline" });
    expect(side.element.textContent).toBe("Loading the outline…");
    side.outlineArrived([]);
    button("Outline")?.click();
    button("Outline")?.click();
    expect(side.element.textContent).toBe("This document has no headings.");
  });

  it("asks again after it could not be had", () => {
    const side = panel({ tab: "outline" });
    side.outlineFailed();
    expect(side.element.hidden).toBe(true);
    button("Outline")?.click();
    expect(options.loadOutline).toHaveBeenCalledTimes(2);
  });
});

describe("slides", () => {
  const whole: Box = [0, 0, 1, 1];
  const slides = Array.from({ length: 900 }, (_, index): SlideCard => ({
    ...{ number: index + 2, title: `Title ${index}`, offset: index * 10, ratio: 2 },
    blocks: [
      { box: whole, assetId: index % 2 === 0 ? "ab12" : null, text: "" },
      { box: [0.1, 0.1, 0.9, 0.3], assetId: null, text: `Title ${index}` },
    ],
  }));

  it("are drawn small from their parts, those in sight alone, and a picture is asked for once", () => {
    const side = panel({ pageCount: null, slides, tab: "pages" });
    expect(rows().length).toBeLessThan(15);
    expect(rows()[0]?.getAttribute("aria-label")).toBe("Slide 2: Title 0");
    const small = rows()[0]?.querySelector<HTMLElement>(".small-slide");
    expect([small?.style.width, small?.style.height]).toEqual(["150px", "75px"]);
    const text = small?.querySelector<HTMLElement>(".small-text");
    expect([text?.dataset["text"], text?.style.left, text?.style.width]).toEqual(["Title 0", "10%", "80%"]);
    expect(ask.mock.calls).toEqual([["ab12", "thumb"]]);
    side.showPage(4);
    expect(
      rows()
        .map((row) => row.getAttribute("aria-selected"))
        .indexOf("true"),
    ).toBe(2);
    press("End");
    press("Enter");
    expect(options.openSlide).toHaveBeenCalledWith(slides.at(-1));
  });
});
