// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ToWebview } from "../../../../src/protocol/chat";
import { Typeahead } from "../../../../webview/chat/composer/typeahead";
import { citation, find } from "./fixtures";

const DELAY_MS = 150;

let input: HTMLTextAreaElement;
let list: Typeahead;
const actions = { typed: vi.fn(), open: vi.fn(), complete: vi.fn(), say: vi.fn() };
const options = { collection: "guides" };

beforeEach(() => {
  vi.useFakeTimers();
  for (const action of Object.values(actions)) action.mockReset();
  Element.prototype.scrollIntoView = vi.fn();
  input = document.createElement("textarea");
  list = new Typeahead(input, () => options, actions);
  document.body.replaceChildren(input, list.element);
});

afterEach(() => {
  vi.useRealTimers();
});

function type(text: string): void {
  input.value = text;
  input.dispatchEvent(new Event("input"));
}

function press(key: string, more: KeyboardEventInit = {}): boolean {
  return list.key(new KeyboardEvent("keydown", { key, ...more }));
}

/** Type, wait, and let these be found. */
function found(text: string, more: Omit<ToWebview["typed.found"], "number">): void {
  type(text);
  vi.advanceTimersByTime(DELAY_MS);
  const { number } = actions.typed.mock.lastCall?.[0] as { number: number };
  list.show({ number, ...more });
}

const SUGGESTIONS = [
  { text: "Backup and restore", kind: "title" as const },
  { text: "backup_dir", kind: "identifier" as const },
];

const selected = () => document.querySelector("[aria-selected=true]")?.textContent;

describe("search as you type", () => {
  it("searches for the newest text when typing pauses", () => {
    for (const text of ["b", "ba", "bac"]) type(text);
    vi.advanceTimersByTime(DELAY_MS - 1);
    expect(actions.typed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(actions.typed.mock.calls).toEqual([[{ number: 1, text: "bac", options }]]);
  });

  it("does not search for one Latin letter, for a long text, or before the daemon is known", () => {
    for (const text of ["b", " ", "x".repeat(301)]) type(text);
    const early = new Typeahead(input, () => undefined, actions);
    type("backup".slice(0, 1));
    vi.advanceTimersByTime(DELAY_MS);
    expect(early.element.hidden).toBe(true);
    expect(actions.typed).not.toHaveBeenCalled();
    type("鍵");
    vi.advanceTimersByTime(DELAY_MS);
    expect(actions.typed).toHaveBeenCalled();
  });

  it("waits for the end of a composition, and calls off what went on before it", () => {
    found("設定", { suggestions: SUGGESTIONS });
    input.dispatchEvent(new Event("compositionstart"));
    expect(list.element.hidden).toBe(true);
    expect(actions.typed).toHaveBeenLastCalledWith({ number: 2, text: "", options: {} });
    for (const text of ["設定ｂ", "設定ば", "設定ばｃ"]) type(text);
    vi.advanceTimersByTime(10 * DELAY_MS);
    expect(actions.typed).toHaveBeenCalledTimes(2);
    input.value = "設定場所";
    input.dispatchEvent(new Event("compositionend"));
    vi.advanceTimersByTime(DELAY_MS);
    expect(actions.typed).toHaveBeenLastCalledWith({ number: 3, text: "設定場所", options });
  });

  it("shows completions and passages as each comes, and nothing of an earlier text", () => {
    found("backup", { suggestions: SUGGESTIONS });
    list.show({ number: 1, passages: [citation(1)] });
    expect(list.element.hidden).toBe(false);
    expect(
      [...list.element.querySelectorAll("[role=group]")].map((group) => group.ariaLabel ?? group.getAttribute("aria-label")),
    ).toEqual(["Suggestions", "Passages"]);
    expect(actions.say).toHaveBeenLastCalledWith("3 results");
    found("backup f", { suggestions: [] });
    list.show({ number: 1, passages: [citation(2)] });
    expect(list.element.textContent).not.toContain("Title 2");
  });

  it("is walked with the arrows while the field keeps the focus, and Enter takes what is marked", () => {
    expect(press("ArrowDown")).toBe(false);
    found("backup", { suggestions: SUGGESTIONS, passages: [citation(1)] });
    expect(press("Enter")).toBe(false); // nothing is marked: the question is sent
    press("ArrowDown");
    expect(selected()).toContain("Backup and restore");
    expect(input.getAttribute("aria-activedescendant")).toBe("typeahead-0");
    press("ArrowUp");
    expect(selected()).toBeUndefined();
    expect(input.hasAttribute("aria-activedescendant")).toBe(false);
    press("ArrowUp");
    expect(selected()).toContain("Title 1");
    expect(press("Enter")).toBe(true);
    expect(actions.open).toHaveBeenCalledWith("c1");
    expect(list.element.hidden).toBe(true);
    expect(actions.complete).not.toHaveBeenCalled();
  });

  it("completes the text and searches for what it is now", () => {
    actions.complete.mockImplementation((text: string) => (input.value = text));
    found("backup", { suggestions: SUGGESTIONS });
    find("[role=option]").click();
    expect(input.value).toBe("Backup and restore");
    vi.advanceTimersByTime(DELAY_MS);
    expect(actions.typed).toHaveBeenLastCalledWith({ number: 3, text: "Backup and restore", options });
  });

  it("goes on Escape, once, and when the field is left; what comes after that is not shown", () => {
    found("backup", { suggestions: SUGGESTIONS });
    expect(press("Escape")).toBe(true);
    expect(list.element.hidden).toBe(true);
    expect(actions.typed).toHaveBeenLastCalledWith({ number: 2, text: "", options: {} });
    list.show({ number: 1, passages: [citation(1)] });
    expect(list.element.hidden).toBe(true);
    expect(press("Escape")).toBe(false);
    found("restore", { suggestions: SUGGESTIONS });
    input.dispatchEvent(new Event("blur"));
    expect(list.element.hidden).toBe(true);
  });

  it("does not come up any more after Escape, while it is still looked for; that Escape is for others, too", () => {
    type("backup");
    expect(press("Escape")).toBe(false);
    vi.advanceTimersByTime(DELAY_MS);
    expect(actions.typed).not.toHaveBeenCalled();
    type("backup");
    vi.advanceTimersByTime(DELAY_MS);
    expect(press("Escape")).toBe(false);
    expect(actions.typed).toHaveBeenLastCalledWith({ number: 2, text: "", options: {} });
    list.show({ number: 1, suggestions: SUGGESTIONS });
    expect(list.element.hidden).toBe(true);
  });

  it("leaves the arrows to a text of several lines until the list was entered, and all keys to an input method", () => {
    found("backup\nand", { suggestions: SUGGESTIONS });
    expect(press("ArrowDown")).toBe(false);
    found("backup", { suggestions: SUGGESTIONS });
    expect(press("Enter", { isComposing: true })).toBe(false);
    expect(press("ArrowDown", { isComposing: true })).toBe(false);
  });
});
