import { describe, expect, it } from "vitest";

import { CitationFilter, textOf, withoutMarks } from "../../../../src/core/answer/citationMarks";

function filtered(text: string, sizes: () => number, given = [1, 2, 3]) {
  const filter = new CitationFilter(given);
  const parts = [];
  for (let start = 0; start < text.length;) {
    const size = sizes();
    parts.push(...filter.feed(text.slice(start, start + size)));
    start += size;
  }
  parts.push(...filter.finish());
  return { text: textOf(parts), cited: filter.cited, removed: filter.removed, parts };
}

/** The same numbers on every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const CASES: [text: string, shown: string, cited: number[], removed: number][] = [
  ["The lease lasts 90 s [1].", "The lease lasts 90 s [1].", [1], 0],
  ["Both say so [2][1].", "Both say so [2][1].", [2, 1], 0],
  ["Both say so [1, 2].", "Both say so [1][2].", [1, 2], 0],
  ["All say so [1-3]。", "All say so [1][2][3]。", [1, 2, 3], 0],
  ["答えは九十秒です【1】。［２］", "答えは九十秒です[1]。[2]", [1, 2], 0],
  ["It is so [9].", "It is so.", [], 1],
  ["It is so [2, 9] [7].", "It is so [2].", [2], 2],
  ["It is so [2-5].", "It is so [2][3].", [2, 3], 2],
  ["Call `rows[7]` or `x[1]` [1].", "Call `rows[7]` or `x[1]` [1].", [1], 0],
  ["```python\nrows[9] = [8]\n```\nDone [9] [1].", "```python\nrows[9] = [8]\n```\nDone [1].", [1], 1],
  ["~~~\nrows[9]\n~~~\nDone [9].", "~~~\nrows[9]\n~~~\nDone.", [], 1],
  ["Strike ~~this~~ out [9].", "Strike ~~this~~ out.", [], 1],
  ["A tick ` alone.\n\nThen [9].", "A tick ` alone.\n\nThen.", [], 1],
  ["See [the guide](x.md) and [1", "See [the guide](x.md) and [1", [], 0],
  ["In [2024] nothing changed, [  ", "In [2024] nothing changed, [  ", [], 0],
  [`${" ".repeat(200)}[9].`, `${" ".repeat(137)}.`, [], 1],
  ["", "", [], 0],
];

describe("citations in an answer", () => {
  it.each(CASES)("given numbers stay and others go: %j", (text, shown, cited, removed) => {
    for (const size of [1, 2, 3, 7, 1000]) {
      expect(filtered(text, () => size)).toMatchObject({ text: shown, cited, removed });
    }
  });

  it("come out the same however the stream is cut", () => {
    const alphabet = [
      "[",
      "]",
      "【",
      "］",
      "1",
      "2",
      "9",
      "１",
      ",",
      "、",
      "-",
      " ",
      "\t",
      "\n",
      "`",
      "```",
      "~",
      "~~~",
      "あ",
      "a",
      "> ",
    ];
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = numbers(seed);
      const text = Array.from({ length: 120 }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
      const whole = filtered(text, () => text.length + 1);
      for (let cut = 0; cut < 4; cut += 1) {
        const pieces = filtered(text, () => 1 + Math.floor(random() * 6));
        expect(pieces.text, JSON.stringify(text)).toBe(whole.text);
        expect([pieces.cited, pieces.removed]).toEqual([whole.cited, whole.removed]);
      }
    }
  });

  it("stay as they are when they are read a second time", () => {
    const once = filtered("So [1, 2]［３］ and `x[1]` [9].", () => 4).text;
    expect(filtered(once, () => 3).text).toBe(once);
  });

  it("are told apart from the text around them", () => {
    expect(filtered("So [1]. And `a[2]` [2, 3]", () => 5).parts.filter((part) => "citation" in part)).toEqual([
      { citation: 1 },
      { citation: 2 },
      { citation: 3 },
    ]);
  });

  it("hold nothing back but what may become a mark", () => {
    const filter = new CitationFilter([1]);
    expect(["It is so", " [", "1", "]. And"].map((piece) => textOf(filter.feed(piece)))).toEqual([
      "It is so",
      "",
      "",
      " [1]. And",
    ]);
  });

  it("cost time in proportion to the answer, also a hostile one", () => {
    // Of this process alone: the machine may be busy with other things.
    const time = (text: string) => {
      const start = process.cpuUsage();
      filtered(text, () => 3);
      return process.cpuUsage(start).user / 1000;
    };
    for (const piece of ["`", " ", "[", "[1,", "`a ", "~", "The lease lasts 90 s [1]. "]) {
      time(piece.repeat(1_000));
      const small = time(piece.repeat(5_000)) + 5;
      expect(time(piece.repeat(40_000)) / small, piece).toBeLessThan(8 * 4);
    }
  }, 60_000);

  it("can be taken out of an earlier answer, whose numbers mean other passages", () => {
    expect(withoutMarks("The lease lasts 90 s [1][2]. 九十秒です【３】。")).toBe("The lease lasts 90 s. 九十秒です。");
  });
});
