// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import { closeOpenMarks, renderMarkdown } from "../../../../webview/shared/markdown";

function html(source: string): string {
  const box = document.createElement("div");
  box.append(renderMarkdown(source));
  return box.innerHTML.trim();
}

describe("renderMarkdown", () => {
  it("shows HTML as text", () => {
    expect(html("<img src=x onerror=alert(1)> <b>x</b>")).toBe("<p>&lt;img src=x onerror=alert(1)&gt; &lt;b&gt;x&lt;/b&gt;</p>");
  });

  it.each(["javascript:alert(1)", "command:workbench.action.quit", "file:///etc/passwd", "data:text/html,x", "vscode://x/y"])(
    "makes no link of %s",
    (target) => {
      expect(html(`[text](${target})`)).not.toContain("<a");
    },
  );

  it("links to the web and by mail", () => {
    expect(html("[a](https://example.com) https://example.org [m](mailto:a@example.com)").match(/<a href/g)).toHaveLength(3);
  });

  it("never loads a picture, but links to it", () => {
    expect(html("![plan](https://example.com/p.png)")).toBe(
      '<p><a href="https://example.com/p.png" title="https://example.com/p.png">plan</a></p>',
    );
  });

  it("names a picture of a document, and links to none", () => {
    expect(html("Page ![page 1](asset://a1b2) and [it](asset://a1b2)")).toBe(
      '<p>Page <em data-asset="a1b2">page 1</em> and it</p>',
    );
    expect(html('![x](asset://a"b)')).not.toContain("data-asset");
  });

  it("aligns columns without styles", () => {
    const table = html("| a | b |\n|--:|:-:|\n| 1 | 2 |");
    expect(table).toContain('<td class="align-right">1</td>');
    expect(table).not.toContain("style");
  });
});

describe("closeOpenMarks", () => {
  it.each([
    ["some **strong", "some **strong**"],
    ["some `code", "some `code`"],
    ["ends with **", "ends with "],
    ["ends with `", "ends with "],
    ["a [link](https://exa", "a link"],
    ["borne out [1", "borne out "],
    ["whole **text** `here` [1]", "whole **text** `here` [1]"],
  ])("turns %j into %j", (source, closed) => {
    expect(closeOpenMarks(source)).toBe(closed);
  });
});
