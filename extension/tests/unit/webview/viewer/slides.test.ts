// @vitest-environment jsdom
import { expect, it } from "vitest";

import { renderContent } from "../../../../webview/viewer/content";
import { slideCards } from "../../../../webview/viewer/slides";

it("makes a card of each slide, with the label of what is cited on it", () => {
  const root = document.createElement("article");
  const text = "# Part\n\n## One\n\ntext\n\n## Two\n\n- a\n\n### Detail\n\nend";
  root.append(renderContent({ text, start: 0, lines: [[6, 7]], rows: [], before: null, after: null }, "Slide 2"));
  slideCards(root);
  expect([...root.children].map((child) => [child.tagName, child.querySelector("h2")?.textContent])).toEqual([
    ["H1", undefined],
    ["SECTION", "One"],
    ["SECTION", "Two"],
  ]);
  expect(root.lastElementChild?.querySelector(".passage-label")?.textContent).toBe("Cited passage: Slide 2");
  expect(root.lastElementChild?.textContent).toContain("end");
});
