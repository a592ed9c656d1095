// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import { document as documentPage } from "../../../../server/ragd/api/dashboard/app/pages/document.js";
import { picture } from "../../../../server/ragd/api/dashboard/app/pages/picture.js";
import { pictures } from "../../../../server/ragd/api/dashboard/app/pages/pictures.js";
import { drawing } from "../../../../server/ragd/api/dashboard/app/parts/pictures/drawing.js";
import { layered } from "../../../../server/ragd/api/dashboard/app/parts/pictures/layers.js";
import { chartOf } from "../../../../server/ragd/api/dashboard/app/parts/pictures/mermaid.js";
import { csvOf } from "../../../../server/ragd/api/dashboard/app/parts/pictures/pictureFacts.js";
import { HOSTILE, answering, settled, unfold, visit } from "./fixtures";

const ID = "a".repeat(32);

/** As the daemon writes a label: every sign that is none of the plain ones is a reference. */
const escaped = (text: string) =>
  Array.from(text, (sign) => (/[\p{L}\p{N} ]/u.test(sign) ? sign : `#${sign.codePointAt(0) ?? 0};`)).join("");

const FLOW = `flowchart TB
  subgraph g1["Sales"]
    n1["Request"]
    n2{"Approved#63;"}
  end
  n3(["Ship"])
  n1 --> n2
  n2 -->|"yes"| n3
  n2 -.->|"no"| n1`;

function descriptionOf(text: string, more: object = {}) {
  return {
    ...{ provider: text, model: text, prompt_id: "p", profile: "caption.flow_v1", image_type: "flowchart", certainty: 0.92 },
    ...{ title: text, summary: text, key_points: [text], entities: [text], uncertainties: [text] },
    numbers: [{ name: text, value: text, unit: text, context: text }],
    table: [
      [text, "Orders"],
      [text, text],
    ],
    series: [],
    mermaid: `flowchart TB\n  n1["${escaped(text)}"]\n  n2["b"]\n  n1 -->|"${escaped(text)}"| n2`,
    ...{ details: {}, low_quality: true, unseen_numbers: 2, input_tokens: 10, output_tokens: 2, cost: 0.5 },
    ...{ created_at: "2026-11-24T04:00:00.000Z", error: null },
    ...more,
  };
}

function detailsOf(text: string, more: object = {}) {
  const said = descriptionOf(text);
  return {
    ...{ asset_id: ID, mime: text, width: 640, height: 480, text, not_read: null },
    lines: [{ text, score: 0.93, bbox: [0.1, 0.2, 0.5, 0.3] }],
    description: said,
    descriptions: [descriptionOf(text, { error: text }), said],
    documents: [{ id: "d1", source: text, title: text }],
    passages: [{ chunk_id: "c1", doc_id: "d1", section_path: [text], content: text, page: 3, slide: null }],
    ...more,
  };
}

function answers(text: string, more: object = {}) {
  const item = {
    asset_id: ID,
    doc_id: "d1",
    source: text,
    caption: text,
    state: "failed",
    image_type: text,
    summary: text,
    more: 0,
  };
  return {
    [`GET /api/assets/${ID}/details`]: detailsOf(text, more),
    [`GET /api/assets/${ID}`]: new Uint8Array([1]),
    "GET /api/assets": { items: [item, { ...item, image_type: null, summary: "" }], total: 41, page: 1, page_size: 20 },
    "POST /api/assets/caption": { job_id: "j1" },
  };
}

beforeEach(() => {
  vi.stubGlobal("hit", undefined);
  URL.createObjectURL = () => "blob:picture";
  HTMLImageElement.prototype.decode = () => Promise.resolve();
});

const textOf = (element: Element | null | undefined) => element?.textContent ?? "";

describe("the page of a picture", () => {
  it("shows what it is and how sure that is, who said so, and that these are no words of the document", async () => {
    answering(answers("Orders"));
    const page = await visit(picture, ID);
    expect(textOf(page.querySelector("h1"))).toBe("Orders");
    expect(page.textContent).toContain("Flow chart, 92 % sure");
    expect(page.textContent).toMatch(/Described by Orders Orders, .*26/);
    expect(page.textContent).toContain("none of the document");
  });

  it("shows where each word was read, and marks the one that is chosen", async () => {
    answering(answers("Orders"));
    const page = await visit(picture, ID);
    await settled();
    await unfold(page);
    const overlay = page.querySelector(".boxes");
    expect(overlay?.hasAttribute("hidden")).toBe(true);
    page.querySelector<HTMLButtonElement>("button.line")?.click();
    expect(overlay?.hasAttribute("hidden")).toBe(false);
    const box = overlay?.querySelector("rect");
    expect(["x", "y", "width", "height"].map((name) => Math.round(Number(box?.getAttribute(name))))).toEqual([
      100, 200, 400, 100,
    ]);
    expect(box?.hasAttribute("data-chosen")).toBe(true);
  });

  it("leads to the passages that it stands in, and tells every description and failure", async () => {
    answering(answers("Orders"));
    const page = await visit(picture, ID);
    const links = [...page.querySelectorAll("a")].map((link) => link.getAttribute("href"));
    expect(links).toContain("#/documents/d1?chunk=c1");
    expect(page.textContent).toContain("Orders › Page 3".replace(" › ", ", "));
    expect(page.textContent).toContain("Orders Orders could not describe it: Orders");
    expect(page.querySelectorAll("table tbody .failure")).toHaveLength(1);
  });

  it("has it described again when that is wanted", async () => {
    const sent = answering(answers("Orders"));
    const page = await visit(picture, ID);
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Describe again")?.click();
    await settled();
    expect(sent.at(-1)).toEqual({
      method: "POST",
      path: "/api/assets/caption",
      body: { asset_ids: [ID], anew: true },
    });
    expect(page.textContent).toContain("It is in the queue.");
  });

  it("says what is missing of one that nobody has read or described", async () => {
    const nothing = { description: null, descriptions: [], lines: [], text: "", not_read: "OCR is switched off" };
    answering(answers("Orders", { ...nothing, documents: [], passages: [] }));
    const page = await visit(picture, ID);
    for (const text of ["Not described", "Its words were not read: OCR is switched off", "Nobody has described it yet."])
      expect(page.textContent).toContain(text);
    expect(textOf(page.querySelector("h1"))).toBe("Picture");
  });

  it("shows the values of a chart by the names of its axis", async () => {
    const series = [
      { name: "2025", points: [["May", "3"], ["June", "4"]] }, // prettier-ignore
      { name: "2026", points: [["June", "5"]] },
    ];
    answering(answers("Orders", { description: descriptionOf("Orders", { table: [], series, mermaid: "" }) }));
    const page = await visit(picture, ID);
    const values = [...page.querySelectorAll("section")].find((one) => textOf(one.querySelector("h2")) === "Values of the chart");
    const rows = [...(values?.querySelectorAll("tbody tr") ?? [])].map((row) => [...row.children].map(textOf));
    expect(rows).toEqual([
      ["May", "3", ""],
      ["June", "4", "5"],
    ]);
    expect(page.querySelector(".drawing")).toBeNull();
  });
});

describe("the list of pictures", () => {
  it("shows those of a state, and has the missing ones described", async () => {
    const sent = answering(answers("Orders"));
    const page = await visit(pictures, "", { state: "failed" });
    expect(sent[0]?.path).toBe("/api/assets?state=failed&fold=true&page=1&page_size=20");
    expect(page.querySelector("tbody a")?.getAttribute("href")).toBe(`#/pictures/${ID}`);
    expect(page.querySelector(".pager a")?.getAttribute("href")).toBe("#/pictures?state=failed&page=2");
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Describe what is missing")?.click();
    await settled();
    expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/assets/caption", body: {} });
  });

  it("has one row for those that show the same, with the way to all of them", async () => {
    const of = answers("Orders");
    const listed = of["GET /api/assets"] as { items: object[] };
    const [first = {}, ...rest] = listed.items;
    const sent = answering({ ...of, "GET /api/assets": { ...listed, items: [{ ...first, more: 2 }, ...rest] } });
    const page = await visit(pictures);
    const links = [...page.querySelectorAll("tbody th a")].map((link) => [link.getAttribute("href"), link.textContent]);
    expect(links).toEqual([
      [`#/pictures/${ID}`, ""],
      [`#/pictures?same_as=${ID}`, "and 2 more like it"],
      [`#/pictures/${ID}`, ""],
    ]);
    const others = await visit(pictures, "", { same_as: ID });
    const asked = sent.map(({ path }) => path).filter((path) => path.startsWith("/api/assets?"));
    expect(asked).toEqual([
      "/api/assets?fold=true&page=1&page_size=20",
      `/api/assets?same_as=${ID}&fold=false&page=1&page_size=20`,
    ]);
    expect(others.textContent).toContain("These show the same.");
    expect(others.querySelector(".pager a")?.getAttribute("href")).toBe(`#/pictures?same_as=${ID}&page=2`);
  });
});

describe("a document's page", () => {
  it("tells of the pictures of its chunks what is known, once somebody wants it", async () => {
    const chunk = (ordinal: number) => ({
      ...{ chunk_id: `c${ordinal}`, ordinal, section_id: "s", section_path: [], content: "text", image_refs: [ID] },
    });
    const one = { title: "Guide", source: "guide.md", source_uri: "file:///guide.md", tags: [], keywords: [], warnings: [] };
    const sent = answering({
      ...answers("Orders"),
      "GET /api/documents/d1": { id: "d1", size: 1, chunk_count: 2, metadata: {}, versions: [], status: "ready", ...one },
      "GET /api/documents/d1/content": { markdown: "text" },
      "GET /api/documents/d1/chunks": { items: [chunk(0), chunk(1)], total: 2, page: 1, page_size: 50 },
      "GET /api/traces": { items: [], total: 0, page: 1, page_size: 20 },
    });
    const page = await visit(documentPage, "d1");
    const asked = () => sent.filter(({ path }) => path.endsWith("/details")).length;
    expect(asked()).toBe(0);
    await unfold(page);
    await settled();
    expect(asked()).toBe(1);
    expect(page.querySelector(".pictured .drawing")).not.toBeNull();
    expect(textOf(page.querySelector(".pictured"))).toContain("Read in it: Orders");
  });
});

describe.each(HOSTILE)("with %s everywhere", (text) => {
  it("nothing runs, and the text stands there as it is", async () => {
    for (const [page, id] of [
      [picture, ID],
      [pictures, ""],
    ] as const) {
      answering(answers(text));
      const shown = await visit(page, id);
      await settled();
      await unfold(shown);
      document.body.replaceChildren(shown);
      expect(shown.querySelector("script, iframe, [onerror], [onload], img[src='x'], b")).toBeNull();
      expect([...shown.querySelectorAll("a")].every((link) => /^#\//.test(link.getAttribute("href") ?? ""))).toBe(true);
      expect(shown.textContent).toContain(text);
      expect((globalThis as { hit?: unknown }).hit).toBeUndefined();
    }
  });

  it("a drawing has it as a label", () => {
    const drawn = drawing(`flowchart LR\n  n1["${escaped(text)}"]`);
    const label = [...(drawn?.querySelectorAll("text") ?? [])].map(textOf).join("");
    expect(label.replace(/\s/g, "")).toContain(text.replace(/\s/g, "").slice(0, 10));
    expect(drawn?.querySelectorAll("*").length).toBeLessThan(20);
  });
});

describe("Mermaid as the daemon writes it", () => {
  it("is read with its groups, shapes, labels and kinds of arrows", () => {
    expect(chartOf(FLOW)).toEqual({
      direction: "TB",
      groups: { g1: "Sales" },
      steps: [
        { id: "n1", label: "Request", shape: "box", group: "g1" },
        { id: "n2", label: "Approved?", shape: "diamond", group: "g1" },
        { id: "n3", label: "Ship", shape: "ellipse", group: "" },
      ],
      arrows: [
        { from: "n1", to: "n2", label: "", kind: "-->" },
        { from: "n2", to: "n3", label: "yes", kind: "-->" },
        { from: "n2", to: "n1", label: "no", kind: "-.->" },
      ],
    });
  });

  it("of states has a beginning and an end", () => {
    const chart = chartOf('stateDiagram-v2\n  direction LR\n  state "Open" as n1\n  [*] --> n1\n  n1 --> [*] : closed');
    expect(chart?.steps.map(({ label, shape }) => [label, shape])).toEqual([
      ["Open", "round"],
      ["", "circle"],
      ["", "circle"],
    ]);
    expect(chart?.arrows.at(-1)).toMatchObject({ from: "n1", label: "closed" });
  });

  it.each(["sequenceDiagram\n  participant n1 as A", "classDiagram", "", "flowchart XY", "graph TD; a-->b"])(
    "of another kind is not drawn: %s",
    (text) => expect(drawing(text)).toBeUndefined(),
  );

  it("that is too large to be read is not drawn", () => {
    const steps = Array.from({ length: 81 }, (_, index) => `  n${index + 1}["step"]`);
    expect(drawing(["flowchart TB", ...steps].join("\n"))).toBeUndefined();
  });
});

describe("the places of steps", () => {
  const step = (id: string) => ({ id, width: 100, height: 30 });
  const arrow = (from: string, to: string) => ({ from, to });

  it("go along the arrows, also in a circle, and never overlap", () => {
    const ids = ["a", "b", "c", "d", "e"];
    const arrows = [arrow("a", "b"), arrow("b", "c"), arrow("c", "a"), arrow("a", "d"), arrow("b", "e"), arrow("e", "e")];
    const { places, bends } = layered(ids.map(step), arrows);
    const y = (id: string) => places.get(id)?.y ?? NaN;
    expect(y("a")).toBeLessThan(y("b"));
    expect(y("b")).toBeLessThan(y("c"));
    expect(y("d")).toBe(y("b"));
    expect(bends.map(({ length }) => length)).toEqual([0, 0, 1, 0, 0, 0]);
    const shown = ids.map((id) => places.get(id)).filter((place) => place !== undefined);
    for (const one of shown) {
      for (const other of shown) {
        if (one === other) continue;
        expect(Math.abs(one.x - other.x) >= 100 || Math.abs(one.y - other.y) >= 30).toBe(true);
      }
    }
  });

  it("are found for many steps in a chain", () => {
    const ids = Array.from({ length: 80 }, (_, index) => `s${index}`);
    const arrows = ids.slice(1).map((id, index) => arrow(ids[index] ?? "", id));
    expect(layered(ids.map(step), arrows).places.get("s79")?.y).toBeGreaterThan(79 * 30);
  });
});

describe("a table as CSV", () => {
  it("quotes what has to be, and leaves no formula to a spreadsheet", () => {
    expect(
      csvOf([
        ["Region", "Orders, all", 'in "k"'],
        ["=cmd()", "-5", "+1.5 %"],
        ["@x", "-x", "a\nb"],
      ]),
    ).toBe(`Region,"Orders, all","in ""k"""\n'=cmd(),-5,+1.5 %\n'@x,'-x,"a\nb"\n`);
  });
});
