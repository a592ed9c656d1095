// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import { unitsOf } from "../../../../src/protocol/highlights";
import { answerPictures } from "../../../../webview/chat/passages/answerPictures";
import { sentences } from "../../../../webview/chat/passages/excerpt";
import { Images } from "../../../../webview/chat/passages/images";
import { PassageCard } from "../../../../webview/chat/passages/passageCard";
import { passageStrip } from "../../../../webview/chat/passages/passageStrip";
import { answer, citation, find, retrieval } from "./fixtures";

vi.mock("mermaid", () => ({
  default: { initialize: () => undefined, render: () => Promise.resolve({ svg: "<svg viewBox='0 0 9 9'></svg>" }) },
}));

const images = new Images(() => undefined);
/** "The lease lasts 90 seconds." in it. */
const LEASE = "😀 A worker takes a **job**. The lease lasts 90 seconds. It is renewed.";
const FROM = Array.from(LEASE.slice(0, LEASE.indexOf("The"))).length;
const lease = (id: number, more = {}) => citation(id, { content: LEASE, highlights: [[FROM, FROM + 27]], ...more });

beforeEach(() => document.body.replaceChildren());

describe("the strip of passages", () => {
  function strip(...citations: ReturnType<typeof citation>[]): { opened: number[] } {
    const opened: number[] = [];
    const message = answer("a1", { state: "done", citations, retrieval });
    document.body.append(passageStrip(message, { open: (id) => opened.push(id) }, true));
    return { opened };
  }

  it("has a card for each document, with its file's name and kind, and in it each place with its number", () => {
    strip(citation(1, { doc_id: "a" }), citation(2, { doc_id: "b", doc_type: "pptx", slide: 4 }), citation(3, { doc_id: "a" }));
    const cards = [...document.querySelectorAll(".passage-card")];
    expect(cards.map((card) => card.querySelector(".passage-file")?.textContent)).toEqual(["file1.pdf", "file2.pdf"]);
    expect(cards.map((card) => card.querySelector<HTMLElement>(".doc-icon")?.title)).toEqual(["PDF", "PowerPoint"]);
    expect([...find(".passage-card").querySelectorAll(".passage-where")].map((one) => one.textContent)).toEqual([
      "1page 1",
      "3page 3",
    ]);
  });

  it("begins with the sentence that bears out the answer, marked", () => {
    strip(lease(1));
    expect(find("mark").textContent).toBe("The lease lasts 90 seconds.");
    expect(find(".passage-excerpt").textContent).toBe("The lease lasts 90 seconds. It is renewed.");
  });

  it("opens the place of the passage that was chosen", () => {
    const { opened } = strip(citation(1, { doc_id: "a" }), citation(2, { doc_id: "a" }));
    document.querySelectorAll<HTMLElement>(".passage-open")[1]?.click();
    expect(opened).toEqual([2]);
  });
});

describe("sentences of a passage", () => {
  it("stand within what is around them, without what Markdown writes", () => {
    expect(sentences(lease(1), 100, 600)).toEqual([
      { text: "😀 A worker takes a job. ", marked: false },
      { text: "The lease lasts 90 seconds.", marked: true },
      { text: " It is renewed.", marked: false },
    ]);
  });

  it("begin with the passage where none is marked, and are cut at the length that is asked for", () => {
    expect(sentences(citation(1, { content: "## One\n\ntwo three" }), 100, 8)).toEqual([{ text: "One two…", marked: false }]);
    const pieces = sentences(citation(1, { content: `${"before ".repeat(60)}Yes. after`, highlights: [[420, 424]] }), 20, 26);
    expect(pieces.map(({ text }) => text).join("")).toBe("…before before Yes. after");
  });

  it("are found by code points", () => {
    expect([...unitsOf("😀a", [0, 1, 2])]).toEqual([
      [0, 0],
      [1, 2],
      [2, 3],
    ]);
  });
});

describe("the card of a chip", () => {
  it("shows the file, the place and the sentence in its context", () => {
    const root = document.createElement("div");
    const chip = document.createElement("button");
    chip.dataset["citation"] = "1";
    root.append(chip);
    document.body.append(root);
    new PassageCard(root, () => lease(1, { title: "Queues" }), images);
    chip.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
    const card = find("#passage-card");
    expect(card.hidden).toBe(false);
    expect(find(".card-title", card).textContent).toBe("file1.pdf");
    expect(find(".card-place", card).textContent).toBe("Queues · page 1");
    expect(find("mark", card).textContent).toBe("The lease lasts 90 seconds.");
    expect(find(".card-text", card).textContent).toContain("A worker takes a job");
  });
});

describe("pictures below an answer", () => {
  const picture = (asset_id: string) => ({
    asset_id,
    url: `/api/assets/${asset_id}`,
    mime: "image/png",
    caption: `Picture ${asset_id}`,
  });

  it("are those of the passages that it cites, each once, with the number of its passage", () => {
    const cited = [citation(2, { images: [picture("x"), picture("y")] }), citation(1, { images: [picture("x")] })];
    document.body.append(...answerPictures(cited, "See [2][1].", images));
    const figures = [...document.querySelectorAll("figure.answer-picture")];
    expect(figures.map((figure) => figure.querySelector("figcaption")?.textContent)).toEqual(["2 Picture x", "2 Picture y"]);
    expect(figures[0]?.querySelector("[data-citation]")?.getAttribute("aria-label")).toBe("Citation 2: Title 2, page 2");
  });

  it("show one of those that show the same, with how many more there are", () => {
    const copies = ["y", "z"].map((id) => ({ ...picture(id), same_as: "x" }));
    const cited = [
      citation(1, { images: [copies[0] ?? picture("y")] }),
      citation(2, { images: [picture("x"), ...copies, picture("o")] }),
    ];
    document.body.append(...answerPictures(cited, "See [1][2].", images));
    const captions = [...document.querySelectorAll("figure.answer-picture figcaption")].map((one) => one.textContent);
    expect(captions).toEqual(["1 Picture y and 2 more like it", "2 Picture o"]);
  });

  it("draw the Mermaid diagrams of the passages, but not one that the answer draws itself", async () => {
    const drawing = (code: string) => citation(1, { content: `Flow:\n\n\`\`\`mermaid\n${code}\n\`\`\`\n` });
    expect(answerPictures([drawing("graph TD\n a-->b")], "```mermaid\ngraph TD\n a-->b\n```", images)).toEqual([]);
    document.body.append(...answerPictures([drawing("graph TD\n a-->c")], "As drawn [1].", images));
    await vi.waitFor(() => expect(document.querySelector("figure.diagram svg")).not.toBeNull());
    expect(find("figcaption").textContent).toContain("Title 1, page 1");
  });

  it("draw what the daemon made of a drawing, and of a text in Mermaid what its author wrote", async () => {
    const mermaid = ['flowchart TB\n  n1["Request"]'];
    document.body.append(...answerPictures([citation(1, { content: "- Request", mermaid })], "As drawn [1].", images));
    await vi.waitFor(() => expect(document.querySelector("figure.diagram svg")).not.toBeNull());
    expect(find(".diagram-source").textContent).toContain('n1["Request"]');
    const written = citation(1, { content: "```mermaid\ngraph TD\n a\n```", mermaid });
    document.body.replaceChildren(...answerPictures([written], "As drawn [1].", images));
    expect(find(".diagram-source").textContent).toContain("graph TD");
  });

  it("are none for an unfinished diagram of a passage that was cut", () => {
    const cut = citation(1, { content: "```mermaid\ngraph TD\n a-->b" });
    expect(answerPictures([cut], "As drawn [1].", images)).toEqual([]);
  });
});
