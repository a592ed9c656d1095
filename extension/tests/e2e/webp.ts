import { writeFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";

const MARGIN = 4;
/** How good and how large, the best first. */
const WAYS = [
  { quality: 0.85, scale: 1 },
  { quality: 0.6, scale: 1 },
  { quality: 0.7, scale: 0.75 },
  { quality: 0.5, scale: 0.75 },
];

/** Writes the part of a page around these elements as WebP of at most `most` bytes. An error when none is as small. */
export async function writeWebp(page: Page, around: readonly Locator[], path: string, most: number): Promise<void> {
  const png = await page.screenshot({ clip: await clipOf(page, around), animations: "disabled", caret: "initial" });
  const canvas = await page.context().newPage();
  try {
    for (const way of WAYS) {
      const webp = Buffer.from(await canvas.evaluate(encoded, { png: png.toString("base64"), ...way }), "base64");
      if (webp.length > most) continue;
      writeFileSync(path, webp);
      return;
    }
  } finally {
    await canvas.close();
  }
  throw new Error(`${path} would be larger than ${most} bytes.`);
}

interface Clip {
  x: number;
  y: number;
  width: number;
  height: number;
}

async function clipOf(page: Page, around: readonly Locator[]): Promise<Clip> {
  const boxes = (await Promise.all(around.map((one) => one.boundingBox()))).filter((box) => box !== null);
  const size = page.viewportSize();
  if (boxes.length === 0 || size === null) throw new Error("Nothing of it is on the screen.");
  const x = Math.max(0, Math.min(...boxes.map((box) => box.x)) - MARGIN);
  const y = Math.max(0, Math.min(...boxes.map((box) => box.y)) - MARGIN);
  const right = Math.min(size.width, Math.max(...boxes.map((box) => box.x + box.width)) + MARGIN);
  const bottom = Math.min(size.height, Math.max(...boxes.map((box) => box.y + box.height)) + MARGIN);
  return { x, y, width: right - x, height: bottom - y };
}

/** Runs in the page. */
async function encoded({ png, quality, scale }: { png: string; quality: number; scale: number }): Promise<string> {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const [width, height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
  return canvas.toDataURL("image/webp", quality).split(",")[1] ?? "";
}
