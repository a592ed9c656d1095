// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Hit } from "../../../../../webview/viewer/find/search";
import { Finder, type Findable } from "../../../../../webview/viewer/find/finder";

const marked = new Map<string, Range[]>();
const load = vi.fn();
let page = 1;
let root: HTMLElement;
let finder: Finder;

const TEXTS: Record<number, string> = { 1: "valve and valve", 2: "nothing", 3: "a valve" };

function turn(to: number): void {
  page = to;
  root.textContent = TEXTS[to] ?? "";
}

beforeEach(() => {
  marked.clear();
  vi.stubGlobal(
    "Highlight",
    class {
      priority = 0;
      readonly ranges: Range[];
      constructor(...ranges: Range[]) {
        this.ranges = ranges;
      }
    },
  );
  vi.stubGlobal("CSS", { highlights: { set: (name: string, { ranges }: { ranges: Range[] }) => marked.set(name, ranges) } });
  root = document.createElement("div");
  turn(1);
  const view: Findable = {
    ...{ roots: [root], without: "", scrollers: ".none" },
    bring: (hit: Hit) => hit.page === page,
    isShown: (hit: Hit) => hit.page === page,
  };
  load.mockReset();
  finder = new Finder(view, load);
  document.body.replaceChildren(finder.bar.button, finder.bar.element);
  finder.bar.button.click();
});

const field = () => document.querySelector("input") as HTMLInputElement;
const count = () => document.querySelector(".find-count")?.textContent;
const current = () => marked.get("viewer-current-hit")?.map((range) => range.startOffset);

async function type(text: string): Promise<void> {
  field().value = text;
  field().dispatchEvent(new Event("input"));
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1));
  finder.arrived({ pages: Object.entries(TEXTS).map(([number, one]) => ({ page: Number(number), text: one })) });
}

const press = (key: string, shiftKey = false) =>
  field().dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));

describe("the search in a document", () => {
  it("counts hits of all pages, marks those on the screen, and goes from one to the next", async () => {
    await type("VALVE");
    await vi.waitFor(() => expect(count()).toBe("1 of 3"));
    expect(marked.get("viewer-hits")).toHaveLength(2);
    expect(current()).toEqual([0]);
    press("Enter");
    expect([count(), current()]).toEqual(["2 of 3", [10]]);
    press("Enter");
    expect(count()).toBe("3 of 3");
    turn(3);
    finder.drawn();
    expect(current()).toEqual([2]);
    press("Enter");
    expect(count()).toBe("1 of 3");
    press("Enter", true);
    expect(count()).toBe("3 of 3");
  });

  it("begins at what is on the screen", async () => {
    turn(3);
    await type("valve");
    await vi.waitFor(() => expect(count()).toBe("3 of 3"));
  });

  it("says that there is nothing, and forgets its marks when it is closed", async () => {
    await type("pump");
    await vi.waitFor(() => expect(count()).toBe("No hits"));
    expect([...document.querySelectorAll<HTMLButtonElement>(".find button")].slice(0, 2).every((one) => one.disabled)).toBe(true);
    press("Escape");
    expect(finder.bar.isOpen).toBe(false);
    expect(document.activeElement).toBe(finder.bar.button);
    expect([marked.get("viewer-hits"), count()]).toEqual([[], ""]);
  });

  it("asks again after the text could not be had", async () => {
    field().value = "valve";
    field().dispatchEvent(new Event("input"));
    await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1));
    finder.failed();
    expect(count()).toBe("");
    field().dispatchEvent(new Event("input"));
    await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(2));
  });
});
