/** A page of a document as a picture, with the regions of its chunks, each of which is chosen by a click. */

import { picture } from "../lib/api.js";
import { h, svg } from "../lib/dom.js";
import { failure, quiet } from "../lib/parts.js";
import { number, t } from "../lib/text.js";

/** @typedef {{ chunk_id: string, ordinal: number, page?: number | null, bbox?: readonly number[] | null }} Chunk */

/**
 * @param {string} path of the document
 * @param {Chunk} chunk that is marked; it has a page
 * @param {readonly Chunk[]} chunks those that may stand on the same page
 * @param {(index: number) => void} choose
 */
export function pagePicture(path, chunk, chunks, choose) {
  const place = h("div", { class: "page" }, quiet(t("The page is being drawn …")));
  picture(`${path}/pages/${chunk.page}`, { chunk_id: chunk.chunk_id, width: 700 }).then(
    (source) =>
      place.replaceChildren(
        h("img", { src: source, alt: t("Page {0} with the chunk marked", number(chunk.page ?? 0)) }),
        regions(chunk, chunks, choose),
      ),
    (error) => place.replaceChildren(failure(error)),
  );
  return place;
}

/**
 * Borders of regions over the picture. They are for the mouse: by the keyboard chunks are chosen in the text.
 * @param {Chunk} chosen
 * @param {readonly Chunk[]} chunks
 * @param {(index: number) => void} choose
 */
function regions(chosen, chunks, choose) {
  const rects = chunks.flatMap((chunk, index) => {
    if (chunk.page !== chosen.page || !chunk.bbox) return [];
    const [left = 0, top = 0, right = 0, bottom = 0] = chunk.bbox;
    const attributes = {
      class: chunk === chosen ? "region chosen" : "region",
      x: left,
      y: top,
      width: right - left,
      height: bottom - top,
      onclick: () => choose(index),
    };
    return [svg("rect", attributes, svg("title", {}, t("Chunk {0}", number(chunk.ordinal + 1))))];
  });
  return svg(
    "svg",
    { class: "regions", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...rects,
  );
}
