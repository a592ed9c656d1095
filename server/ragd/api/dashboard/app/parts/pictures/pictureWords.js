/** A picture with the places of the words that text recognition read in it. */

import { picture } from "../../lib/api.js";
import { h, svg } from "../../lib/dom.js";
import { failure, folded, quiet, table } from "../../lib/parts.js";
import { number, t } from "../../lib/text.js";

/**
 * @param {string} path of the picture
 * @param {{ width: number, height: number, lines: readonly any[], text: string, not_read: string | null }} known
 * @param {string} title
 */
export function pictureWithWords(path, known, title) {
  const { lines } = known;
  const boxes = lines.map(({ bbox: [left, top, right, bottom] }) =>
    svg("rect", { x: left * 1000, y: top * 1000, width: (right - left) * 1000, height: (bottom - top) * 1000 }),
  );
  // In thousandths of the picture: whatever its size on the screen, the boxes lie where the words are.
  const overlay = svg(
    "svg",
    { class: "boxes", viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...boxes,
  );
  overlay.toggleAttribute("hidden", true);
  const place = h("div", { class: "shown" }, quiet(t("The picture is being loaded …")));
  void load(path, title).then((image) =>
    place.replaceChildren(image, ...(image instanceof HTMLImageElement ? [overlay] : [])),
  );
  const show = h("input", { type: "checkbox", id: "boxes", onchange: () => mark(show.checked) });
  /** @param {boolean} isShown */
  function mark(isShown) {
    show.checked = isShown;
    overlay.toggleAttribute("hidden", !isShown);
  }
  return h(
    "div",
    { class: "picture" },
    place,
    lines.length > 0 && h("p", {}, show, " ", h("label", { for: "boxes" }, t("Show where words were read"))),
    read(known, (index) => {
      boxes.forEach((box, at) => box.toggleAttribute("data-chosen", at === index));
      mark(true);
    }),
  );
}

/**
 * The picture, or its thumbnail where a browser draws no such format.
 * @param {string} path
 * @param {string} title
 */
async function load(path, title) {
  for (const variant of ["raw", "thumb"]) {
    try {
      const image = h("img", { src: await picture(path, { variant }), alt: title });
      await image.decode();
      return image;
    } catch (error) {
      if (variant === "thumb") return failure(error);
    }
  }
  return failure(t("This picture can't be shown."));
}

/**
 * @param {{ lines: readonly any[], text: string, not_read: string | null }} known
 * @param {(index: number) => void} choose
 */
function read({ lines, text, not_read }, choose) {
  if (not_read) return quiet(t("Its words were not read: {0}", not_read));
  if (!text && lines.length === 0) return quiet(t("No words were read in it."));
  if (lines.length === 0) return folded(t("Words that were read"), () => h("pre", { class: "source" }, text));
  const columns = [{ title: t("Line") }, { title: t("How sure"), isNumber: true }];
  return folded(lines.length === 1 ? t("1 line was read") : t("{0} lines were read", number(lines.length)), () =>
    table(
      t("Words that were read"),
      columns,
      lines.map(({ text: line, score }, index) => [
        h(
          "button",
          { class: "line", onclick: () => choose(index), "aria-label": t("Show in the picture: {0}", line) },
          line,
        ),
        t("{0} %", number(100 * score)),
      ]),
    ),
  );
}
