import { describe, expect, it } from "vitest";

import { BlockSplitter, LONGEST_TEXT, PART_LINES, PART_ROWS, type Block } from "../../../../webview/shared/blocks";

function split(text: string, size = text.length): Block[] {
  const splitter = new BlockSplitter();
  const blocks: Block[] = [];
  for (let at = 0; at < text.length; at += size) blocks.push(...splitter.push(text.slice(at, at + size)));
  return [...blocks, ...splitter.finish()];
}

const kinds = (text: string) => split(text).map((block) => `${block.kind}${block.joins ? "+" : ""}`);

const SAMPLE = `# Heading
A paragraph
of two lines.

Setext
---
- one
- two
  - inner

  more of two
1. first
2. second

   \`\`\`sh
   ls

   - no item
   \`\`\`
3. third

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |
after

\`\`\`\`md
\`\`\`
- no item
\`\`\`\`
> quote
> goes on

***
終わり。`;

describe("BlockSplitter", () => {
  it("finds the same blocks however the text is cut into pieces", () => {
    const whole = split(SAMPLE);
    for (const size of [1, 2, 3, 7, 40]) expect(split(SAMPLE, size)).toEqual(whole);
  });

  it("names each block and what joins the one before", () => {
    expect(kinds(SAMPLE)).toEqual([
      ..."text text text item item+ item item+ item+ table".split(" "),
      ...["code", "text", "text", "text"],
    ]);
  });

  it("gives offsets that cover the source of each block", () => {
    for (const block of split(SAMPLE).filter(({ kind }) => kind === "text" || kind === "item")) {
      expect(SAMPLE.slice(block.start, block.end).trim()).toBe(block.source.trim());
    }
  });

  it("keeps blank lines and markers inside a fence", () => {
    const [code] = split("```js\na\n\n- b\n```\n");
    expect(code).toMatchObject({ kind: "code", language: "js", source: "a\n\n- b", last: true });
  });

  it("begins a table where the rule under its heading comes", () => {
    expect(split("| a |\n|---|\n| 1 |\n")[0]).toMatchObject({ kind: "table", source: "| a |\n|---|\n| 1 |" });
    expect(kinds("text\n| a |\n|---|\n| 1 |\n")).toEqual(["text", "table"]);
  });

  it("repeats the heading with each part of a long table", () => {
    const rows = Array.from({ length: PART_ROWS + 5 }, (_, row) => `| ${row} |`).join("\n");
    const blocks = split(`| n |\n|---|\n${rows}\n`);
    expect(blocks.map(({ joins }) => joins)).toEqual([false, true]);
    expect(blocks[1]?.source.startsWith("| n |\n|---|\n| 12 |")).toBe(true);
  });

  it("cuts long code into parts, of which only the last one says so", () => {
    const code = Array.from({ length: PART_LINES * 2 }, (_, line) => `line ${line}`).join("\n");
    const blocks = split(`\`\`\`\n${code}\n\`\`\`\n`);
    expect(blocks.map(({ joins, last }) => [joins, last])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(
      blocks
        .map(({ source }) => source)
        .filter((part) => part !== "")
        .join("\n"),
    ).toBe(code);
  });

  it("cuts an endless line behind a sentence, never inside emphasis", () => {
    const blocks = split("A sentence with **strong. words** in it. ".repeat(400), 50);
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks.slice(0, -1)) {
      expect(block.source.length).toBeLessThanOrEqual(LONGEST_TEXT);
      expect(block.source).toMatch(/it\.$/);
    }
  });

  it("shows no half marker of the line that is being written", () => {
    const tail = (text: string) => {
      const splitter = new BlockSplitter();
      splitter.push(text);
      return splitter.tail()?.source;
    };
    expect(tail("Text\n-")).toBe("Text");
    expect(tail("``")).toBeUndefined();
    expect(tail("| a | b")).toBeUndefined();
    expect(tail("| a |\n|---|\n| 1 |\n| 2")).toBe("| a |\n|---|\n| 1 |");
    expect(tail("Half a sen")).toBe("Half a sen");
  });
});
