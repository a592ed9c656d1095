// @vitest-environment jsdom
/** An answer of thousands of lines: drawn and marked in turns, and the same as a short one. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { markUnsupported } from "../../../../webview/chat/passages/supportMarks";
import { StreamedMarkdown } from "../../../../webview/shared/stream";

const PARAGRAPHS = 300;
const lines = Array.from({ length: PARAGRAPHS }, (_, at) => `Line ${at} says this.`);
const TEXT = `${lines.join("\n\n")}\n`;
const support = lines.map((line, at) => ({
  start: TEXT.indexOf(line),
  end: TEXT.indexOf(line) + line.length,
  supported: at % 3 !== 0,
  citations: [],
  score: 0,
  text: line,
}));

let frames = 0;

beforeEach(() => {
  frames = 0;
  const { requestAnimationFrame: real } = globalThis;
  vi.stubGlobal("requestAnimationFrame", (act: FrameRequestCallback) => {
    frames += 1;
    return real(act);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function drawn(): Promise<StreamedMarkdown> {
  const stream = new StreamedMarkdown({ copy: vi.fn(), insert: vi.fn(), decorate: vi.fn(), drawn: vi.fn() });
  stream.push(TEXT);
  await stream.finish();
  return stream;
}

/** A clock by which every look takes 3 ms, so that the work needs many turns. */
function slowClock(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 3));
}

describe("a long answer that comes whole", { timeout: 60_000 }, () => {
  it("is drawn in turns that do not wait for the next frame", async () => {
    slowClock();
    const stream = await drawn();
    expect(stream.element.querySelectorAll("p")).toHaveLength(PARAGRAPHS);
    expect(frames).toBe(1);
  });

  it("is drawn by frames while more may come", async () => {
    slowClock();
    const stream = new StreamedMarkdown({ copy: vi.fn(), insert: vi.fn(), decorate: vi.fn(), drawn: vi.fn() });
    stream.push(TEXT);
    await vi.waitFor(() => expect(stream.element.querySelectorAll("p")).toHaveLength(PARAGRAPHS), { timeout: 30_000 });
    expect(frames).toBeGreaterThan(20);
  });

  it("knows the blocks of any stretch", async () => {
    const stream = await drawn();
    const all = [...stream.blocksBetween(0, TEXT.length)];
    expect(all).toHaveLength(PARAGRAPHS);
    for (const [start, end] of [
      [0, 1],
      [5, 40],
      [1000, 1001],
      [TEXT.length - 3, TEXT.length],
      [TEXT.length, TEXT.length + 9],
    ] as const) {
      const expected = all.filter(({ block }) => block.end > start && block.start < end);
      expect([...stream.blocksBetween(start, end)]).toEqual(expected);
    }
  });

  it("gets its marks in turns, each once, and only the last ones that were asked for", async () => {
    const stream = await drawn();
    document.body.replaceChildren(stream.element);
    slowClock();
    const marked = () => [...stream.element.querySelectorAll(".unsupported")].map((one) => one.textContent);
    markUnsupported(stream, TEXT, support);
    expect(marked().length).toBeLessThan(PARAGRAPHS / 3);
    await vi.waitFor(() => expect(marked()).toHaveLength(PARAGRAPHS / 3));
    expect(marked().slice(0, 2)).toEqual([lines[0], lines[3]]);
    markUnsupported(stream, TEXT, support);
    markUnsupported(stream, TEXT, support.slice(0, 30));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await vi.waitFor(() => expect(marked()).toHaveLength(10));
    expect(stream.element.querySelectorAll(".unsupported-mark")).toHaveLength(10);
  });
});
