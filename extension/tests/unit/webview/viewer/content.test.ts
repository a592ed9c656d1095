// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import type { LineSpan, MergedCell } from "../../../../src/protocol/viewer";
import { markSentences, renderContent, textBlocks } from "../../../../webview/viewer/content";
import { stretchesOfContent } from "../../../../webview/viewer/find/search";

function render(text: string, lines: LineSpan[] = [], place = ""): HTMLElement {
  const box = document.createElement("div");
  box.append(renderContent({ text, start: 0, lines, rows: [], merged: [], slides: [], before: null, after: null }, place));
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
    box.append(
      renderContent({ text, start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: null }, "", "printed"),
    );
    expect(box.querySelector("em, code, del")).toBeNull();
    expect(texts(box, "p")).toEqual(["<foo>_<VersionNumber>-<Revision>_<arch>.deb and *.txt, a*b*c, `x\\_y`"]);
    expect(texts(box, "h2, th")).toEqual(["Names", "a_b_", "*c*"]);
    expect(render("an *emphasis* after it").querySelector("em")?.textContent).toBe("emphasis");
  });

  it("takes a cell of a header that says nothing for no header, and tables for no landmarks", () => {
    const box = render("|  | a |\n|---|---|\n| 1 | 2 |\n\ntext\n\n| ![m](asset://ab) |\n|---|\n| 3 |");
    expect([...box.querySelectorAll("thead > tr")].map((row) => [...row.children].map((cell) => cell.tagName))).toEqual([
      ["TD", "TH"],
      ["TH"],
    ]);
    expect(box.querySelectorAll('.table[role="group"]')).toHaveLength(2);
  });

  it("has the lines of a paragraph flow where Markdown was written, and keeps those of other formats", () => {
    const part = { start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: null };
    const text = "a paragraph of\ntwo lines\n\nits end  \nwas meant";
    const paragraphs = (kind: "markdown" | "read", written = text): string[] => {
      const box = document.createElement("div");
      box.append(renderContent({ ...part, text: written }, "", kind));
      return [...box.querySelectorAll("p")].map((one) => one.innerHTML.trim());
    };
    expect(paragraphs("markdown")).toEqual(["a paragraph of\ntwo lines", "its end<br>\nwas meant"]);
    expect(paragraphs("markdown", "**更新**\n手順です。\n次に\nKestrel\nを確認")).toEqual([
      "<strong>更新</strong>手順です。次に\nKestrel\nを確認",
    ]);
    expect(paragraphs("read")).toEqual(["a paragraph of<br>\ntwo lines", "its end<br>\nwas meant"]);
  });

  it("counts a list on from where it was broken off", () => {
    expect(render("4. four\n5. five").querySelector("ol")?.start).toBe(4);
  });

  it("breaks the lines of a cell, and leaves what was printed as it was", () => {
    expect(render("| a |\n|---|\n| 1<br>2 |").querySelectorAll("td br")).toHaveLength(1);
    const box = document.createElement("div");
    const part = { text: "a <br> b", start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: null };
    box.append(renderContent(part, "", "printed"));
    expect(box.textContent.trim()).toBe("a <br> b");
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
      "group",
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

describe("merged cells", () => {
  const table = "| a | b | c |\n|---|---|---|\n| x | 1 | 2 |\n| x | 3 |  |\n| x | 4 | 5 |\n| y | 6 | 7 |";
  const at = (text: string, from = table) => from.indexOf(text);
  const cell = (offset: number, column: number, rows: number, columns: number): MergedCell => ({
    ...{ offset, column, rows, columns, level: null, text: "" },
  });

  function shown(text: string, merged: MergedCell[], start = 0): string[] {
    const box = document.createElement("div");
    const moved = merged.map((one) => ({ ...one, offset: one.offset + start }));
    box.append(renderContent({ text, start, lines: [], rows: [], merged: moved, slides: [], before: null, after: null }, ""));
    return [...box.querySelectorAll("tr")].map((row) =>
      [...row.cells].map(({ textContent, rowSpan, colSpan }) => `${textContent}:${rowSpan}x${colSpan}`).join(" "),
    );
  }

  it("are shown over their rows and columns, wherever the part begins in the document", () => {
    const merged = [cell(at("| x | 1"), 0, 3, 1), cell(at("| x | 3"), 0, 2, 1), cell(at("| x | 3"), 1, 1, 2)];
    const rows = ["a:1x1 b:1x1 c:1x1", "x:3x1 1:1x1 2:1x1", "3:1x2", "4:1x1 5:1x1", "y:1x1 6:1x1 7:1x1"];
    expect(shown(table, merged)).toEqual(rows);
    expect(shown(table, merged, 500)).toEqual(rows);
    // A part that begins below the cell's first row has the rest of it.
    const later = `| a | b | c |\n|---|---|---|\n${table.slice(at("| x | 3"))}`;
    expect(shown(later, [cell(later.indexOf("| x | 3"), 0, 2, 1)])[1]).toBe("x:2x1 3:1x1 :1x1");
  });

  it("hide nothing that says something else, overlap nothing and end with their table, whatever is said of them", () => {
    const plain = shown(table, []);
    const absurd = 2_000_000_000;
    expect(shown(table, [cell(at("| x | 1"), 0, absurd, absurd)])[1]).toBe("x:3x1 1:1x1 2:1x1");
    expect(shown(table, [cell(at("| x | 1"), 0, absurd, absurd)]).at(-1)).toBe(plain.at(-1));
    expect(shown(table, [cell(at("| y"), 2, absurd, absurd), cell(at("| y"), 9, 2, 2), cell(3, 0, 9, 9)])).toEqual(plain);
    const overlapping = [cell(at("| x | 1"), 0, 2, 1), cell(at("| x | 3"), 0, 2, 2), cell(at("| x | 1"), 0, 3, 1)];
    expect(shown(table, overlapping).slice(1, 4)).toEqual(["x:2x1 1:1x1 2:1x1", "3:1x1 :1x1", "x:1x1 4:1x1 5:1x1"]);
    expect(shown(table, [cell(at("| x | 1"), -1, 1, 1), cell(at("| x | 1"), 0, -5, -5)])).toEqual(plain);
  });

  it("give a header that was read from several rows its rows again, where they fill it", () => {
    const header = (level: number, column: number, rows: number, columns: number, text: string): MergedCell => ({
      ...{ offset: 0, column, rows, columns, level, text },
    });
    const levels = [
      header(0, 0, 2, 1, "a"),
      header(0, 1, 1, 2, "**G**<br>\\|"),
      header(1, 1, 1, 1, "b"),
      header(1, 2, 1, 1, "c"),
    ];
    expect(shown(table, levels).slice(0, 2)).toEqual(["a:2x1 G\n|:1x2", "b:1x1 c:1x1"]);
    expect(shown(table, levels.slice(0, 3))[0]).toBe("a:1x1 b:1x1 c:1x1");
    expect(shown(table, [...levels, header(1, 2, 1, 1, "d")])[0]).toBe("a:1x1 b:1x1 c:1x1");
    expect(shown(table, [header(0, 0, 2_000_000_000, 2_000_000_000, "x")])[0]).toBe("a:1x1 b:1x1 c:1x1");
  });

  it("are searched as they are shown: once", async () => {
    const merged = [cell(at("| x | 1"), 0, 3, 1), cell(at("| x | 3"), 0, 2, 1)];
    const text = (blocks: { text: string }[]) => blocks.map((block) => block.text).join(" ");
    expect(text(textBlocks(table, 0, merged))).toBe("a b c x 1 2 3  4 5 y 6 7");
    const long = `${"word ".repeat(12_000)}\n\n${table}`;
    const start = long.indexOf(table);
    const moved = merged.map((one) => ({ ...one, offset: one.offset + start }));
    expect(text(await stretchesOfContent(long, moved)).endsWith("a b c x 1 2 3  4 5 y 6 7")).toBe(true);
  });
});
