/** Maths as MathML, which the browser draws by itself: no fonts or styles to load. KaTeX is loaded with the first formula. */

import DOMPurify from "dompurify";

import { BOUNDS } from "../../src/protocol/formulas";

/** Draws the formulas of rendered Markdown. One that KaTeX does not understand stays as it was written. */
export function drawMath(root: ParentNode): void {
  const places = [...root.querySelectorAll<HTMLElement>(".math")];
  if (places.length > 0) void draw(places);
}

async function draw(places: readonly HTMLElement[]): Promise<void> {
  const { default: katex } = await import("katex");
  for (const place of places) {
    const source = place.textContent;
    const displayMode = place.classList.contains("display");
    try {
      const options = { ...BOUNDS, displayMode, output: "mathml", trust: false, strict: "ignore" } as const;
      const drawn = DOMPurify.sanitize(katex.renderToString(source, options), {
        USE_PROFILES: { mathMl: true },
        RETURN_DOM_FRAGMENT: true,
      });
      // Only for programs that read TeX; a screen reader would say it after the formula.
      for (const annotation of drawn.querySelectorAll("annotation")) annotation.remove();
      place.replaceChildren(drawn);
      place.title = source;
    } catch (error) {
      place.classList.add("not-drawn");
      place.title = error instanceof Error ? error.message : String(error);
    }
  }
}
