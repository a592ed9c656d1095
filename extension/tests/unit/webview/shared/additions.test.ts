// @vitest-environment jsdom
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { zoomDiagram } from "../../../../webview/shared/diagramZoom";
import { renderMarkdown } from "../../../../webview/shared/markdown";
import { drawMath } from "../../../../webview/shared/math";
import { StreamedMarkdown } from "../../../../webview/shared/stream";
import { csv, markdownTable } from "../../../../webview/shared/tableCopy";

beforeEach(() => document.body.replaceChildren());

function rendered(source: string): HTMLElement {
  const box = document.createElement("div");
  box.append(renderMarkdown(source));
  document.body.append(box);
  return box;
}

async function answered(text: string, copy = vi.fn()): Promise<{ element: HTMLElement; copy: typeof copy }> {
  const stream = new StreamedMarkdown({ copy, insert: vi.fn(), decorate: vi.fn(), drawn: vi.fn() });
  document.body.append(stream.element);
  stream.push(text);
  await stream.finish();
  return { element: stream.element, copy };
}

describe("maths", () => {
  it("is found between its signs", () => {
    const formulas = (source: string) => [...rendered(source).querySelectorAll(".math")].map((one) => one.textContent);
    expect(formulas("So $a_b*c*$, \\(x^2\\), $$y_1$$ and \\[z=1\\].")).toEqual(["a_b*c*", "x^2", "y_1", "z=1"]);
  });

  it.each(["It costs $5 and $10.", "echo $HOME/$PATH", "a $ b $ c", "US$5, US$6", "an \\[optional\\] part", "`$x$`", "$$"])(
    "is not seen in %s",
    (source) => expect(rendered(source).querySelector(".math")).toBeNull(),
  );

  it("is drawn as MathML, and what KaTeX does not understand stays as it was written", async () => {
    const box = rendered("$\\frac{1}{2}$ and $\\nosuch{1}$");
    drawMath(box);
    await vi.waitFor(() => expect(box.querySelector("math mfrac")).not.toBeNull());
    await vi.waitFor(() => expect(box.querySelector(".not-drawn")?.textContent).toBe("\\nosuch{1}"));
    expect(box.querySelector("annotation")).toBeNull();
  });

  it.each(["\\href{javascript:alert(1)}{x}", "\\includegraphics{https://example.com/x.png}", "\\def\\a{\\a\\a}\\a"])(
    "makes no link, picture or endless work of %s",
    async (formula) => {
      const box = rendered(`$${formula}$`);
      drawMath(box);
      await vi.waitFor(() => expect(box.querySelector(".math[title]")).not.toBeNull());
      expect(box.querySelector("a, img, [href]")).toBeNull();
    },
  );
});

it("items of a task list have boxes that say what is done", async () => {
  const { element } = await answered("- [x] one\n- [ ] two [1]\n- three\n\nEnd.");
  const boxes = [...element.querySelectorAll<HTMLInputElement>("li.task input")];
  expect(boxes.map((box) => [box.checked, box.disabled, box.getAttribute("aria-label")])).toEqual([
    [true, true, "Done"],
    [false, true, "To do"],
  ]);
  expect([...element.querySelectorAll("li")].map((item) => item.textContent.trim())).toEqual(["one", "two [1]", "three"]);
});

describe("copying a table", () => {
  it("takes all of a long table that was drawn in pieces, with its heading once", async () => {
    const rows = Array.from({ length: 40 }, (_, index) => `| r${index} | ${index} |`);
    const { element, copy } = await answered(["| a | b |", "|---|---|", ...rows, "", "| other |", "|---|", "| x |"].join("\n"));
    expect(element.querySelectorAll(".table-tools")).toHaveLength(2);
    element.querySelector<HTMLElement>("[aria-label='Copy table as CSV']")?.click();
    const lines = String(copy.mock.calls[0]?.[0]).trim().split("\r\n");
    expect([lines[0], lines[1], lines.at(-1), lines.length]).toEqual(["a,b", "r0,0", "r39,39", 41]);
  });

  it("writes CSV that a spreadsheet reads as text, and Markdown with its bars escaped", () => {
    expect(csv([["a,b", 'say "x"', "=1+1", "-5", "-x", "@y", ""]])).toBe('"a,b","say ""x""",\'=1+1,-5,\'-x,\'@y,\r\n');
    expect(
      markdownTable([
        ["a|b", "c"],
        ["1\n2", ""],
      ]),
    ).toBe("| a\\|b | c |\n| --- | --- |\n| 1 2 |  |\n");
  });
});

describe("a diagram by itself", () => {
  beforeAll(() => {
    // jsdom has dialogs without their methods, and drawings without a box.
    HTMLDialogElement.prototype.showModal = vi.fn();
    HTMLDialogElement.prototype.close = function (this: HTMLDialogElement) {
      this.dispatchEvent(new Event("close"));
    };
    const viewBox = { baseVal: { width: 100, height: 50 } };
    Object.defineProperty(SVGSVGElement.prototype, "viewBox", { configurable: true, get: () => viewBox });
  });

  it("is made larger by key and button, and gives the focus back when it closes", () => {
    const figure = document.createElement("figure");
    figure.tabIndex = 0;
    figure.innerHTML = "<svg></svg>";
    document.body.append(figure);
    zoomDiagram(figure);
    const dialog = document.querySelector("dialog");
    const width = () => Number(dialog?.querySelector("svg")?.getAttribute("width"));
    const before = width();
    dialog?.dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
    expect(width()).toBeGreaterThan(before);
    dialog?.querySelector<HTMLElement>("[aria-label='Zoom out (-)']")?.click();
    expect(width()).toBeCloseTo(before);
    dialog?.querySelector<HTMLElement>("[aria-label='Close']")?.click();
    expect(document.querySelector("dialog")).toBeNull();
    expect(document.activeElement).toBe(figure);
  });
});
