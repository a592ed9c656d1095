/**
 * Whether a model sees: it is shown a small picture of ours, of two colours, and asked which they are. The editor says of few models
 * whether they take pictures, and one that only guesses must not describe any.
 */

import { crc32, deflateSync } from "node:zlib";

import * as l10n from "@vscode/l10n";

import { RagError } from "../common/errors";
import type { VisionModel } from "./visionModel";

const COLOURS: readonly (readonly [string, readonly [number, number, number]])[] = [
  ["red", [214, 30, 30]],
  ["green", [20, 150, 50]],
  ["blue", [30, 60, 220]],
  ["yellow", [250, 220, 20]],
  ["black", [0, 0, 0]],
];
const SIDE = 64;
const QUESTION =
  "The picture has two halves, each of one colour: red, green, blue, yellow or black. Answer with the two colours, the left one first, " +
  "and with nothing else. If you see no picture, answer: none.";

/** Throws `RagError`: MODEL_BLIND for a model that does not say what is in the picture, or what asking it threw. */
export async function requireSight(model: VisionModel, signal: AbortSignal, random = Math.random): Promise<void> {
  const left = Math.floor(random() * COLOURS.length);
  const right = (left + 1 + Math.floor(random() * (COLOURS.length - 1))) % COLOURS.length;
  const [one, other] = [COLOURS[left], COLOURS[right]];
  if (one === undefined || other === undefined) throw new Error("A random number is not below 1.");
  const picture = { mime: "image/png", bytes: twoColours(one[1], other[1]) };
  const answer = await model.ask([{ role: "user", text: QUESTION, picture }], signal);
  const said = [...answer.toLowerCase().matchAll(/red|green|blue|yellow|black/g)].map(([name]) => name);
  if (said.length === 2 && said[0] === one[0] && said[1] === other[0]) return;
  throw new RagError(
    "MODEL_BLIND",
    l10n.t("{0} did not see the test picture.", model.name),
    l10n.t("Choose another model. Nothing of your documents was sent."),
  );
}

/** A PNG whose left half is of one colour, and its right half of another. */
export function twoColours(left: readonly number[], right: readonly number[]): Uint8Array {
  const row = [0, ...Array.from({ length: SIDE }, (_, x) => (x < SIDE / 2 ? left : right)).flat()];
  const pixels = deflateSync(Uint8Array.from(Array.from({ length: SIDE }, () => row).flat()));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2, 0, 0, 0], 8); // eight bits each of red, green and blue
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  return Buffer.concat([
    Buffer.from(signature),
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const framed = Buffer.alloc(4 + named.length + 4);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), 4 + named.length);
  return framed;
}
