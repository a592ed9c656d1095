// @vitest-environment jsdom
import { expect, it } from "vitest";

import type { LineSpan, Slide } from "../../../../src/protocol/viewer";
import { renderContent } from "../../../../webview/viewer/content";
import { slideCards } from "../../../../webview/viewer/slides";

function shown(text: string, slides: Slide[] = [], lines: LineSpan[] = [], start = 0): HTMLElement {
  const root = document.createElement("article");
  const part = { text, start, lines, rows: [], merged: [], slides, before: null, after: null };
  root.append(renderContent(part, "Slide 2"));
  slideCards(root, part);
  return root;
}

it("makes a card of each slide, with the label of what is cited on it", () => {
  const root = shown("# Part\n\n## One\n\ntext\n\n## Two\n\n- a\n\n### Detail\n\nend", [], [[6, 7]]);
  expect([...root.children].map((child) => [child.tagName, child.querySelector("h2")?.textContent])).toEqual([
    ["H1", undefined],
    ["SECTION", "One"],
    ["SECTION", "Two"],
  ]);
  expect(root.lastElementChild?.querySelector(".passage-label")?.textContent).toBe("Cited passage: Slide 2");
  expect(root.lastElementChild?.textContent).toContain("end");
});

const text = "## Routes\n\n![map](asset://ab)\n\n- one\n- two\n\n| a |\n|---|\n| 1 |\n\n![back](asset://cd)\n\nNotes: said";

function slide(start: number, change: (box: Slide["blocks"][number]) => Slide["blocks"][number] = (block) => block): Slide {
  const block = (from: string, to: string, box: [number, number, number, number]) =>
    change({ start: start + text.indexOf(from), end: start + text.indexOf(to), box });
  const blocks = [
    block("## R", "![map", [0.1, 0, 0.9, 0.2]),
    block("![map", "- one", [0, 0.25, 0.5, 0.75]),
    block("- one", "| a", [0.5, 0.25, 1, 0.5]),
    block("| a", "![back", [0.5, 0.5, 1.4, 1]),
    block("![back", "Notes", [0, 0, 1, 1]),
  ];
  return { number: 1, title: "Routes", start, ratio: 1.5, blocks };
}

it("puts title, pictures, texts and tables where they stand on the slide, and notes below it", () => {
  for (const start of [0, 700]) {
    const root = shown(text, [slide(start)], [], start);
    const stage = root.querySelector<HTMLElement>(".slide > .stage");
    const places = [...(stage?.querySelectorAll<HTMLElement>(".placed") ?? [])].map(({ style, firstElementChild }) => [
      firstElementChild?.tagName,
      ...[style.left, style.top, style.width, style.height],
    ]);
    expect(places).toEqual([
      ["H2", "10%", "0%", "80%", "20%"],
      ["P", "0%", "25%", "50%", "50%"],
      ["UL", "50%", "25%", "50%", "25%"],
      ["DIV", "50%", "50%", "50%", "50%"],
      ["P", "0%", "0%", "100%", "100%"],
    ]);
    expect(stage?.querySelector(".backdrop .picture")?.textContent).toBe("back");
    expect([...(stage?.parentElement?.children ?? [])].map((child) => child.className || child.textContent)).toEqual([
      "stage",
      "Notes: said",
    ]);
  }
});

it("leaves in the flow of the text what has no place on the slide, or one that can't be seen", () => {
  const boxes = [
    [0.5, 0.5, 0.5, 0.5],
    [1.2, 0, 2, 1],
    [0, 0.9, 1, 0.1],
    [NaN, 0, 1, 1],
  ] as const;
  for (const box of boxes) {
    const root = shown(text, [slide(0, (block) => ({ ...block, box: [...box] }))]);
    expect(root.querySelector(".placed")).toBeNull();
    expect(root.textContent).toContain("Notes: said");
    expect(root.querySelectorAll(".slide > *")).toHaveLength(6);
  }
});
