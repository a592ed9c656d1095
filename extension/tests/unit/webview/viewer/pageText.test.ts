// @vitest-environment jsdom
import { expect, it } from "vitest";

import { drawParagraphs } from "../../../../webview/viewer/pageText";

it("shows headings, program text and tables as such, and keeps lines that are to be kept", () => {
  const [heading, text, code, table] = drawParagraphs([
    { kind: "heading", text: "Valves" },
    { kind: "text", text: "- one\n  - <two>" },
    { kind: "code", text: "if x:\n    y()\n\nz" },
    { kind: "table", text: "Name\tValue\na\t" },
  ]);
  expect([heading?.tagName, heading?.textContent]).toEqual(["H3", "Valves"]);
  expect([text?.tagName, text?.textContent]).toEqual(["P", "- one\n  - <two>"]);
  expect([code?.tagName, code?.textContent]).toEqual(["PRE", "if x:\n    y()\n\nz"]);
  const cells = (selector: string) => [...(table?.querySelectorAll(selector) ?? [])].map((cell) => cell.textContent);
  expect([cells("thead th"), cells("tbody td")]).toEqual([
    ["Name", "Value"],
    ["a", ""],
  ]);
});
