import { describe, expect, it } from "vitest";

import {
  SafeMarkdown,
  codeExcerpt,
  escapeMarkdown,
  excerpt,
  textLines,
  withoutMarks,
} from "../../../../src/core/common/safeMarkdown";

function safe(text: string, size = text.length + 1): string {
  const filter = new SafeMarkdown();
  let shown = "";
  for (let start = 0; start < text.length; start += size) shown += filter.feed(text.slice(start, start + size));
  return shown + filter.finish();
}

const CASES: [text: string, shown: string][] = [
  [
    "Plain *text*, [a link](https://example.org/a?b#c) and [here](#part).",
    "Plain *text*, [a link](https://example.org/a?b#c) and [here](#part).",
  ],
  ["[write](mailto:a@example.org) <https://example.org>", "[write](mailto:a@example.org) <https://example.org>"],
  ["[run](command:workbench.action.quit)", "[run](#)"],
  ["[run]( \n COMMAND:x?%5B1%5D 'title')", "[run](# 'title')"],
  ["[run](<command:x y>)", "[run](#)"],
  ["[run](&#99;ommand:x) [run](command&colon;x) [run](comm\\and:x) [run](command%3Ax)", "[run](#) [run](#) [run](#) [run](#)"],
  ["[r]\n\n[r]: command:x\n[s]:\n  vscode://a.b/c", "[r]\n\n[r]:#\n[s]:#"],
  ["[file](file:///etc/passwd) [js](javascript:x) [two](//evil.example/x)", "[file](#) [js](#) [two](#)"],
  ["<command:x> and <std::vector> and a < b", "&lt;command:x> and &lt;std::vector> and a < b"],
  ["![pixel](https://evil.example/p.png?secret) Wow!", "[pixel](https://evil.example/p.png?secret) Wow!"],
  ["```rust\nvec![1]; <std::x> <command:x>\n```\n![a](b.png)", "```rust\nvec![1]; <std::x> &lt;command:x>\n```\n[a](b.png)"],
  ["A ` tick [run](command:x) and `![x](command:y)`", "A ` tick [run](#) and `[x](#)`"],
  ["```\n[x](command:y)\n", "```\n[x](#)\n"],
  ["    ```\n![a](b)", "    ```\n[a](b)"],
  ["a [ b ] c ]: d", "a [ b ] c ]: d"],
  ["See ![Table 1: orders](asset://0a1b).", "See Table 1\\: orders."],
  ['![a \\[b\\] [c]](<ASSET:0a-1b> "t") ![](asset://1)!', "a \\[b\\] \\[c\\] !"],
  ["![x [run](command:y)](asset://1)", "x \\[run\\]\\(command\\:y\\)"],
  ["![a\nb](asset://1) ![a](asset://1/../2) ![a][1] ![a](asset", "[a\nb](#) [a](#) [a][1] [a](asset"],
  ["```\n![a](asset://1)\n```\n![a](asset://1)", "```\n![a](#)\n```\na"],
  ["ends with [x](command", "ends with [x](command"],
  ["日本語の[手順](docs/手順.md)です。", "日本語の[手順](docs/手順.md)です。"],
  ["", ""],
];

describe("Markdown of a model", () => {
  it.each(CASES)("acts on nothing: %j", (text, shown) => {
    for (const size of [1, 2, 3, 5, 17, text.length + 1]) expect(safe(text, size), `in pieces of ${size}`).toBe(shown);
  });

  it("links to no address that is too long to be looked at", () => {
    expect(safe(`[long](https://example.org/${"x".repeat(2_000)})`, 3)).toBe(`[long](#${"x".repeat(1_022)})`);
  });

  it("costs time in proportion to its length, also a hostile one", () => {
    // Of this process alone: the machine may be busy with other things.
    const time = (text: string) => {
      const start = process.cpuUsage();
      safe(text, 3);
      return process.cpuUsage(start).user / 1000;
    };
    for (const piece of ["](", "](a", "<a", "!", "![", "![a](a", "![\\", "```\n", "](<x", "word ", "\n"]) {
      time(piece.repeat(1_000));
      const small = time(piece.repeat(4_000)) + 5;
      expect(time(piece.repeat(32_000)) / small, piece).toBeLessThan(8 * 4);
    }
  }, 60_000);
});

describe("text of documents", () => {
  it("stays text", () => {
    expect(escapeMarkdown("[x](command:y) **b** <i> `c`\n# $(icon) | 1. a_b")).toBe(
      "\\[x\\]\\(command\\:y\\) \\*\\*b\\*\\* \\<i\\> \\`c\\` \\# \\$\\(icon\\) \\| 1\\. a\\_b",
    );
  });

  it("is cut at a word's end", () => {
    expect(excerpt("The lease  lasts\nninety seconds", 16)).toBe("The lease lasts…");
    expect(excerpt("あ".repeat(50), 10)).toBe(`${"あ".repeat(10)}…`);
    expect(excerpt("short", 10)).toBe("short");
  });
});

it("a sentence is quoted without the marks of Markdown", () => {
  expect(withoutMarks("**E03**: run `kill -HUP` *now*, see [the page](https://x.test/a) [1][2]")).toBe(
    "E03: run kill -HUP now, see the page",
  );
  expect(withoutMarks("2 * 3 and snake_case stay")).toBe("2 * 3 and snake_case stay");
});

describe("lines of text", () => {
  it("keep blanks that may break, and nothing of them is a sign of Markdown", () => {
    expect(textLines(["Ropeway handbook, part 1", "[x](command:y)"])).toBe(
      "Ropeway handbook, part 1\n\n\\[x\\]\\(command\\:y\\)",
    );
  });
});

describe("the beginning of code", () => {
  it("keeps its lines, and nothing of it ends the fence", () => {
    expect(codeExcerpt("def f():\n    return 1\n", 5)).toBe("```\ndef f():\n    return 1\n```");
    expect(codeExcerpt("a\n```\n[x](command:y)\n```\nb", 3)).toBe("````\na\n```\n[x](command:y)\n…\n````");
    expect(codeExcerpt("x".repeat(1_000), 3).length).toBeLessThan(320);
  });
});
