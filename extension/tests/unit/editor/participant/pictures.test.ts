/** Pictures in an answer of `@rag`: named once, however many files show the same, and described where a model repeats one. */

import { describe, expect, it } from "vitest";

import type { Image } from "../../../../src/core/api/types";
import { FakeWriter, citation, retrieval } from "../../fixtures/answers";
import { participant } from "../../fixtures/participant";

describe("pictures of what @rag cites", () => {
  it("are listed with the first passage that shows one, and copies of it are counted", async () => {
    const { text } = await answered("So [1], and so [2][3].", [
      [picture("plan", "Floor plan")],
      [picture("plan-small", "Floor plan, small", "plan"), picture("stairs", "Stairs")],
      [picture("plan-again", "Floor plan, once more", "plan"), picture("plan", "Floor plan")],
    ]);
    expect(pictures(text)).toEqual([
      ["1", "picture: Floor plan", "and 2 more like it"],
      ["2", "picture: Stairs", ""],
    ]);
  });

  it("are each listed where no two show the same", async () => {
    const { text } = await answered("So [1].", [[picture("plan", "Floor plan"), picture("stairs", "Stairs")]]);
    expect(pictures(text)).toEqual([
      ["1", "picture: Floor plan", ""],
      ["1", "picture: Stairs", ""],
    ]);
  });

  it("are one also where only copies of a picture are cited", async () => {
    const copies = ["plan-small", "plan-again"].map((id) => [picture(id, `Floor plan (${id})`, "plan")]);
    const { text } = await answered("So [1][2].", copies);
    expect(pictures(text)).toEqual([["1", "picture: Floor plan (plan-small)", "and 1 more like it"]]);
  });
});

describe("a model that repeats the picture of a passage", () => {
  const says = "The rooms: ![Floor plan [2nd floor]](asset://0a1b2c) [1]\n\n![](asset://0a1b2c)\n\nThat is all.";

  it.each([1, 2, 3, 7, says.length])("shows its description, in pieces of %i characters", async (size) => {
    const pieces = says.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const { text } = await answered(pieces, [[picture("0a1b2c", "Floor plan")]]);
    expect(text.split("**Sources**")[0]).toMatch(/^The rooms: Floor plan \[2nd floor\] \S+\n\n\n\nThat is all\.\s*$/);
    expect(text).not.toContain("asset:");
    expect(pictures(text)).toEqual([["1", "picture: Floor plan", ""]]);
  });
});

/** What `@rag` writes when a model says this, and passages show these pictures. */
function answered(says: string | string[], shown: Image[][]) {
  const found = retrieval(shown.map((images, index) => citation(index + 1, "As drawn.", { images })));
  return participant({ found, writer: new FakeWriter([says].flat()) }).ask();
}

function picture(id: string, caption: string, sameAs: string | null = null): Image {
  return { asset_id: id, caption, mime: "image/png", url: `/api/assets/${id}`, same_as: sameAs };
}

/** The pictures among the sources: by whose number, as what, and what is said of others like it. */
function pictures(text: string): string[][] {
  const sources = text.split("**Sources**")[1] ?? "";
  return sources.split("\n").flatMap((line) => {
    const [, number = ""] = /^- \[(\d+)\]/.exec(line) ?? [];
    return [...line.matchAll(/\[(picture: [^\]]*)\]\([^)]*\) ?(and \d+ more like it)?/g)].map(([, label = "", more = ""]) => [
      number,
      label,
      more,
    ]);
  });
}
