import { inflateSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { requireSight, twoColours } from "../../../../src/core/pictures/sight";
import type { VisionMessage, VisionModel } from "../../../../src/core/pictures/visionModel";

const { signal } = new AbortController();

class Says implements VisionModel {
  readonly name = "Test model";
  readonly asked: (readonly VisionMessage[])[] = [];

  constructor(private readonly answer: string) {}

  ask(messages: readonly VisionMessage[]): Promise<string> {
    this.asked.push(messages);
    return Promise.resolve(this.answer);
  }
}

/** The first and the last pixel of the first row. */
function ends(png: Uint8Array): number[][] {
  const bytes = Buffer.from(png);
  const at = bytes.indexOf("IDAT");
  const pixels = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
  const width = bytes.readUInt32BE(16);
  return [[...pixels.subarray(1, 4)], [...pixels.subarray(3 * width - 2, 3 * width + 1)]];
}

describe("the picture that a model is tried with", () => {
  it("is a PNG of two colours", () => {
    const png = twoColours([214, 30, 30], [0, 0, 0]);
    expect([...png.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
    expect(ends(png)).toEqual([
      [214, 30, 30],
      [0, 0, 0],
    ]);
  });

  it("is shown with the question, and a model that tells its colours sees", async () => {
    const model = new Says("Red, green.");
    await requireSight(model, signal, () => 0);
    const picture = model.asked[0]?.[0]?.picture;
    expect(picture?.mime).toBe("image/png");
    expect(ends(picture?.bytes ?? new Uint8Array())).toEqual([
      [214, 30, 30],
      [20, 150, 50],
    ]);
  });

  it.each(["green, red", "red", "none", "red, green, blue", "", "I see a red and a blue half."])(
    "a model that answers “%s” does not",
    async (answer) => {
      await expect(requireSight(new Says(answer), signal, () => 0)).rejects.toMatchObject({
        code: "MODEL_BLIND",
        advice: "Choose another model. Nothing of your documents was sent.",
      });
    },
  );

  it("never has one colour twice", async () => {
    for (let draw = 0; draw < 20; draw += 1) {
      const model = new Says("none");
      await expect(requireSight(model, signal)).rejects.toMatchObject({ code: "MODEL_BLIND" });
      const [left, right] = ends(model.asked[0]?.[0]?.picture?.bytes ?? new Uint8Array());
      expect(left).not.toEqual(right);
    }
  });
});
