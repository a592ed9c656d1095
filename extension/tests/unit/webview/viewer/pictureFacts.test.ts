// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { AssetDetails, PictureDescription } from "../../../../src/core/api/types";
import { PictureFacts } from "../../../../webview/viewer/pictureFacts";

// Mermaid measures texts, which jsdom can't; what is drawn is tested with the real one elsewhere.
vi.mock("../../../../webview/shared/diagram", () => ({
  drawDiagram: (code: HTMLElement, source: string) => code.setAttribute("data-drawn", source),
}));

const HOSTILE = `<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>`;

function said(text: string, more: Partial<PictureDescription> = {}): PictureDescription {
  return {
    ...{ provider: text, model: "m", prompt_id: "p", profile: "caption.table_v1", image_type: "table", certainty: 0.9 },
    ...{ title: text, summary: text, key_points: [text], entities: [text], numbers: [], uncertainties: [text] },
    table: [
      [text, "Orders"],
      ["=cmd()", "1240"],
    ],
    ...{ series: [], mermaid: `flowchart TB\n  n1["a"]`, details: {}, low_quality: false, unseen_numbers: 0 },
    ...{ input_tokens: 0, output_tokens: 0, cost: 0, created_at: "2026-11-24T04:00:00.000Z", error: null, same_as: "" },
    ...more,
  };
}

function known(text: string, more: Partial<AssetDetails> = {}): AssetDetails {
  const current = said(text);
  return {
    ...{ asset_id: "a", mime: "image/png", width: 1, height: 1, text, lines: [], not_read: null, description: current },
    descriptions: [said(text, { created_at: "2026-11-25T04:00:00.000Z", error: text }), current],
    documents: [{ id: "d1", source: text, title: text }],
    passages: [{ chunk_id: "c1", doc_id: "d1", section_path: [text], content: text, page: null, slide: null }],
    ...more,
  };
}

const calls = { load: vi.fn(), again: vi.fn(), openPlace: vi.fn(), copy: vi.fn() };

function facts(details: AssetDetails | null, problem = ""): PictureFacts {
  const made = new PictureFacts(calls);
  made.arrived(details, problem);
  document.body.replaceChildren(made.element);
  return made;
}

const button = (name: string): HTMLButtonElement | undefined =>
  [...document.querySelectorAll("button")].find((one) => (one.getAttribute("aria-label") ?? one.textContent) === name);

beforeEach(() => vi.clearAllMocks());

describe("what is known of a picture", () => {
  it("says what it is, how sure that is, whose words these are, and what failed", () => {
    const { element } = facts(known("Orders"));
    expect(calls.load).toHaveBeenCalledOnce();
    expect(element.textContent).toMatch(/Table, 90 % sure\. Described by Orders m, .*none of these words are the document's/);
    expect(element.textContent).toContain("Orders m could not describe it: Orders");
    expect(element.querySelector("details li")?.textContent).toContain("Orders");
    expect(element.querySelector("[data-drawn]")?.getAttribute("data-drawn")).toContain("flowchart");
  });

  it("gives its table to the clipboard, without a formula in it", () => {
    facts(known("Region"));
    button("Copy table as CSV")?.click();
    expect(calls.copy).toHaveBeenCalledWith("Region,Orders\r\n'=cmd(),1240\r\n");
  });

  it("leads to its documents and passages", () => {
    facts(known("Guide"));
    const [document_, passage] = [...document.querySelectorAll<HTMLButtonElement>("button.link")];
    document_?.click();
    passage?.click();
    expect(calls.openPlace.mock.calls).toEqual([
      ["d1", "", "Guide"],
      ["d1", "c1", "Guide"],
    ]);
  });

  it("has it described again, and says what came of that", () => {
    const made = facts(known("Guide"));
    button("Describe Again")?.click();
    expect(calls.again).toHaveBeenCalledOnce();
    made.answered(true, "");
    expect(made.element.textContent).toContain("It is in the queue.");
    made.answered(false, "");
    expect(made.element.textContent).toContain("Nothing describes pictures now.");
  });

  it("says that nobody has described it, or why nothing is known", () => {
    expect(facts(known("x", { description: null, descriptions: [] })).element.textContent).toContain("Nobody has described");
    expect(facts(null, "There is no such picture.").element.querySelector("[role=alert]")?.textContent).toBe(
      "There is no such picture.",
    );
  });

  it("takes no text for markup", () => {
    const { element } = facts(known(HOSTILE));
    expect(element.querySelector("img, script")).toBeNull();
    expect(element.textContent).toContain(HOSTILE);
    expect((globalThis as { hit?: unknown }).hit).toBeUndefined();
  });
});
