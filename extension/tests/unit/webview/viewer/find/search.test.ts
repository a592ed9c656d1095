// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import { hitRanges } from "../../../../../webview/viewer/find/marks";
import { MOST_HITS, needleOf, search, stretchesOfContent, stretchesOfPages } from "../../../../../webview/viewer/find/search";
import { renderContent } from "../../../../../webview/viewer/content";

function shown(markdown: string): HTMLElement {
  const box = document.createElement("div");
  box.append(
    renderContent({ text: markdown, start: 0, lines: [], rows: [], merged: [], slides: [], before: null, after: null }, ""),
  );
  return box;
}

/** How often a query is counted in the whole content, and how often it is marked where it is shown. */
async function both(markdown: string, query: string): Promise<[number, number]> {
  const hits = search(await stretchesOfContent(markdown), query);
  return [hits.length, hitRanges(shown(markdown), needleOf(query), ".picture").length];
}

describe("search", () => {
  it("finds hits on every page, in order", async () => {
    const pages = Array.from({ length: 2000 }, (_, index) => ({ page: index + 1, text: `Page ${index + 1}.\nValve\nopen.` }));
    const stretches = await stretchesOfPages(pages);
    expect(search(stretches, "valve open")).toHaveLength(2000);
    expect(search(stretches, "page 1999")).toEqual([{ page: 1999, offset: 0 }]);
  });

  it("stops counting at a bound", async () => {
    const stretches = await stretchesOfPages([{ page: 1, text: "a ".repeat(MOST_HITS + 5) }]);
    expect(search(stretches, "a")).toHaveLength(MOST_HITS);
  });

  it("says where a block of content begins", async () => {
    const markdown = `# One\n\n${"text\n\n".repeat(20_000)}the needle`;
    const [hit] = search(await stretchesOfContent(markdown), "needle");
    expect(markdown.slice(hit?.offset)).toBe("the needle");
  });
});

describe("what is counted is what is marked", () => {
  it.each([
    ["words with emphasis, code and links in them", "a **bo**ld `co`de [wo](https://example.com)rd", "bold code word", 1],
    ["cells, not across them", "| one | two |\n|---|---|\n| one | two |", "one", 2],
    ["cells, not across them", "| one | two |\n|---|---|", "one two", 0],
    ["lists and code", "- item\n- item\n\n```\nitem\n```", "item", 3],
    ["lines of a paragraph", "one\ntwo", "one two", 1],
    ["the heading row of a sheet's pieces, which is shown once", "| h |\n|---|\n| 1 |\n\n| h |\n|---|\n| 2 |", "h", 1],
    ["heading rows of different tables", "| h |\n|---|\n| 1 |\n\ntext\n\n| h |\n|---|\n| 2 |", "h", 2],
    ["no descriptions of pictures, which are not shown", "![curve](asset://ab)", "curve", 0],
    ["entities and signs", "a &amp; b \\* c", "& b * c", 1],
  ])("%s", async (_, markdown, query, count) => {
    expect(await both(markdown, query)).toEqual([count, count]);
  });
});
