// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import { StreamedMarkdown } from "../../../../webview/shared/stream";

const decorate = vi.fn();

function newStream(): StreamedMarkdown {
  return new StreamedMarkdown({ copy: vi.fn(), insert: vi.fn(), decorate, drawn: vi.fn() });
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

const TEXT = `# Title

First **paragraph** [1].

- one
- two
- three

| a | b |
|---|---|
| 1 | 2 |

\`\`\`text
code

more
\`\`\`

1. alpha
2. beta

Last words.
`;

async function drawn(text: string, size: number): Promise<string> {
  const stream = newStream();
  for (let at = 0; at < text.length; at += size) {
    stream.push(text.slice(at, at + size));
    if (at % (5 * size) === 0) await frame();
  }
  await stream.finish();
  return stream.element.innerHTML;
}

beforeEach(() => {
  decorate.mockClear();
  vi.stubGlobal("requestIdleCallback", (act: () => void) => setTimeout(act));
});

describe("StreamedMarkdown", { timeout: 60_000 }, () => {
  it("ends with the same page however the text came", async () => {
    const whole = await drawn(TEXT, TEXT.length);
    for (const size of [3, 33]) expect(await drawn(TEXT, size)).toBe(whole);
  });

  it("puts items, rows and code into one list, table and box", async () => {
    const box = document.createElement("div");
    box.innerHTML = await drawn(TEXT, 3);
    expect(box.querySelectorAll("ul > li")).toHaveLength(3);
    expect(box.querySelectorAll("ol > li")).toHaveLength(2);
    expect(box.querySelectorAll("ul, ol, table, .code")).toHaveLength(4);
    expect(box.querySelector("code")?.textContent).toBe("code\n\nmore");
  });

  it("shows the open block before it is done", async () => {
    const stream = newStream();
    stream.push("Half a **sen");
    await frame();
    expect(stream.element.querySelector(".part")?.innerHTML.trim()).toBe("<p>Half a <strong>sen</strong></p>");
  });

  it("leaves blocks that are done alone", async () => {
    const stream = newStream();
    stream.push("First.\n\nSecond.\n\n");
    await frame();
    const first = stream.element.querySelector("p");
    const calls = decorate.mock.calls.length;
    for (let count = 0; count < 20; count += 1) {
      stream.push("word ");
      await frame();
    }
    expect(stream.element.querySelector("p")).toBe(first);
    expect(decorate.mock.calls.length - calls).toBeLessThanOrEqual(21);
  });

  it("replaces from the first difference on", async () => {
    const stream = newStream();
    stream.push("First.\n\nSecond [9].\n\nThird.");
    await stream.finish();
    const first = stream.element.querySelector("p");
    stream.replace("First.\n\nSecond.\n\nThird.");
    await stream.finish();
    expect(stream.element.querySelector("p")).toBe(first);
    expect([...stream.element.querySelectorAll("p")].map((child) => child.textContent)).toEqual(["First.", "Second.", "Third."]);
    stream.replace("");
    await stream.finish();
    expect(stream.element.childElementCount).toBe(0);
  });

  it("goes on numbering where a long list is cut", async () => {
    const stream = newStream();
    stream.push(Array.from({ length: 60 }, (_, item) => `1. item ${item}\n`).join(""));
    await stream.finish();
    const lists = [...stream.element.querySelectorAll("ol")];
    expect(lists.map((list) => [list.start, list.childElementCount])).toEqual([
      [1, 24],
      [25, 24],
      [49, 12],
    ]);
  });

  it("keeps a long table in order, cut into pieces that stand together", async () => {
    const stream = newStream();
    stream.push(`| n |\n|---|\n${Array.from({ length: 400 }, (_, row) => `| ${row} |\n`).join("")}`);
    await stream.finish();
    const cells = [...stream.element.querySelectorAll("td")].map((cell) => Number(cell.textContent));
    expect(cells).toEqual(Array.from({ length: 400 }, (_, row) => row));
    expect(stream.element.querySelectorAll(".table-box.continued")).toHaveLength(1);
  });

  it("replaces code that was still open", async () => {
    const stream = newStream();
    stream.push("```js\nlet a = 1;\n");
    await frame();
    stream.replace("No code.");
    await stream.finish();
    expect(stream.element.textContent.trim()).toBe("No code.");
  });

  it("finds the blocks of a range of the text", async () => {
    const stream = newStream();
    stream.push("First.\n\n- one\n- two\n");
    await stream.finish();
    const found = [...stream.blocksBetween(14, 18)].flatMap(({ nodes }) => nodes.map((node) => node.textContent?.trim()));
    expect(found).toEqual(["two"]);
  });
});
