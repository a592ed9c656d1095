// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import type { LineSpan } from "../../../../src/protocol/viewer";
import { markSentences, renderContent } from "../../../../webview/viewer/content";

function render(text: string, lines: LineSpan[] = [], place = ""): HTMLElement {
  const box = document.createElement("div");
  box.append(renderContent({ text, start: 0, lines, rows: [], before: null, after: null }, place));
  return box;
}

const texts = (box: HTMLElement, selector: string) =>
  [...box.querySelectorAll(selector)].map((element) => element.textContent.trim());

describe("renderContent", () => {
  it("shows HTML of a document as text", () => {
    const box = render("<img src=x onerror=alert(1)>\n\n<script>alert(1)</script>");
    expect(box.querySelector("img, script")).toBeNull();
    expect(box.textContent).toContain("<script>alert(1)</script>");
  });

  it.each(["javascript:alert(1)", "command:x", "file:///etc/passwd", "vscode://x/y", "//host/x"])(
    "makes no link of %s",
    (address) => {
      expect(render(`[text](${address})`).querySelector("a")).toBeNull();
    },
  );

  it("loads no picture from the web, and leaves those of the document to their loader", () => {
    const box = render("![plan](https://example.com/p.png) ![curve](asset://ab12)");
    expect(box.querySelector("img")).toBeNull();
    expect([...box.querySelectorAll<HTMLElement>(".picture")].map((one) => one.dataset["asset"])).toEqual(["", "ab12"]);
    expect(texts(box, ".picture")).toEqual(["plan", "curve"]);
  });

  it("keeps the signs of what was printed, and those of a table and a heading as ours", () => {
    const box = document.createElement("div");
    const text =
      "## Names\n\n<foo>_<VersionNumber>-<Revision>_<arch>.deb and *.txt, a*b*c, `x\\_y`\n\n| a_b_ | *c* |\n|---|---|\n| 1 | 2 |";
    box.append(renderContent({ text, start: 0, lines: [], rows: [], before: null, after: null }, "", "printed"));
    expect(box.querySelector("em, code, del")).toBeNull();
    expect(texts(box, "p")).toEqual(["<foo>_<VersionNumber>-<Revision>_<arch>.deb and *.txt, a*b*c, `x\\_y`"]);
    expect(texts(box, "h2, th")).toEqual(["Names", "a_b_", "*c*"]);
    expect(render("an *emphasis* after it").querySelector("em")?.textContent).toBe("emphasis");
  });

  it("marks the cited paragraphs and no others, under the name of their place", () => {
    const box = render("# One\n\nfirst\n\nsecond\n\nthird", [[4, 5]], "Slide 4");
    expect(texts(box, ".passage")).toEqual(["second"]);
    expect(box.querySelector(".passage-label")?.nextElementSibling?.textContent).toBe("second");
    expect(texts(box, ".passage-label")).toEqual(["Cited passage: Slide 4"]);
  });

  it("marks the cited rows of a sheet, which is one table although it was read in pieces", () => {
    const piece = (row: string) => `| a | b |\n|---|---|\n| ${row} | x |`;
    const box = render(`${piece("1")}\n\n${piece("2")}\n\n${piece("3")}\n\n| other |\n|---|\n| 4 |`, [[4, 7]], "Nodes!A3:B3");
    expect(box.querySelectorAll("table")).toHaveLength(2);
    expect(texts(box, "table:first-of-type tbody tr")).toHaveLength(4);
    expect(texts(box, "tr.passage td:first-child")).toEqual(["2"]);
    expect(box.querySelectorAll("thead tr.passage")).toHaveLength(0);
  });

  it("marks items of a list, code and headings", () => {
    const box = render("## Head\n\n- one\n- two\n\n```js\ncode()\n```", [
      [0, 1],
      [3, 4],
      [5, 8],
    ]);
    expect(texts(box, ".passage")).toEqual(["Head", "two", "code()"]);
  });

  it("can be read by the keyboard where a table is wider than the tab", () => {
    const region = render("| a |\n|---|\n| 1 |").querySelector(".table");
    expect([region?.getAttribute("tabindex"), region?.getAttribute("role"), region?.getAttribute("aria-label")]).toEqual([
      "0",
      "region",
      "Table",
    ]);
  });
});

describe("markSentences", () => {
  it("marks a sentence in the passage across emphasis and line ends, and not the same words elsewhere", () => {
    const box = render("Kept for 30 days.\n\nOther text. Kept for\n**30 days**. More.", [[2, 4]]);
    markSentences(box, ["Kept for\n**30 days**.", "not there"]);
    const marks = [...box.querySelectorAll("mark.sentence")];
    expect(
      marks
        .map((mark) => mark.textContent)
        .join("")
        .replace(/\s+/g, ""),
    ).toBe("Keptfor30days.");
    expect(marks.every((mark) => mark.closest(".passage"))).toBe(true);
  });
});
