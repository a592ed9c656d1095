/** Pictures that the extension sends as bytes, shown by blob URLs. */

import * as l10n from "@vscode/l10n";

import { h } from "../shared/dom";

type Variant = "raw" | "thumb";
type Ask = (assetId: string, variant: Variant) => void;
export type Loaded = { url: string } | { problem: string };

export class Pictures {
  private readonly waiting = new Map<string, ((loaded: Loaded) => void)[]>();
  private readonly urls: string[] = [];

  constructor(private readonly ask: Ask) {}

  load(assetId: string, variant: Variant): Promise<Loaded> {
    const key = `${variant} ${assetId}`;
    return new Promise((resolve) => {
      const others = this.waiting.get(key);
      if (others) others.push(resolve);
      else {
        this.waiting.set(key, [resolve]);
        this.ask(assetId, variant);
      }
    });
  }

  arrived(assetId: string, variant: Variant, bytes: Uint8Array | null, problem: string): void {
    const key = `${variant} ${assetId}`;
    const waiting = this.waiting.get(key) ?? [];
    this.waiting.delete(key);
    const loaded = bytes === null ? { problem } : { url: this.url(bytes) };
    for (const resolve of waiting) resolve(loaded);
  }

  /** A blob's URL; it lasts until `forget`. */
  url(bytes: Uint8Array): string {
    const url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: mediaType(bytes) }));
    this.urls.push(url);
    return url;
  }

  forget(): void {
    for (const url of this.urls.splice(0)) URL.revokeObjectURL(url);
    this.waiting.clear();
  }

  /** Fills the pictures of rendered content as they come into sight; a click opens one alone. */
  fill(root: ParentNode, open: (assetId: string, title: string) => void): void {
    const seen = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting || !(target instanceof HTMLElement)) continue;
          seen.unobserve(target);
          void this.show(target, open);
        }
      },
      { rootMargin: "400px" },
    );
    for (const place of root.querySelectorAll<HTMLElement>(".picture[data-asset]")) {
      if (place.dataset["asset"]) seen.observe(place);
    }
  }

  private async show(place: HTMLElement, open: (assetId: string, title: string) => void): Promise<void> {
    const assetId = place.dataset["asset"] ?? "";
    const title = place.textContent;
    const image = await this.element(assetId, title);
    if (!(image instanceof HTMLImageElement)) {
      place.append(image);
      return;
    }
    const label = title === "" ? l10n.t("Open picture") : l10n.t("Open picture: {0}", title);
    place.replaceChildren(
      h("button", { class: "picture-button", "aria-label": label, onclick: () => open(assetId, title) }, image),
    );
  }

  /** The picture as an element. What the browser can't draw, such as TIFF, is shown by its thumbnail. */
  async element(assetId: string, alt: string): Promise<HTMLElement> {
    for (const variant of ["raw", "thumb"] as const) {
      const loaded = await this.load(assetId, variant);
      if ("problem" in loaded) return h("span", { class: "problem", role: "alert" }, ` ${loaded.problem}`);
      const image = h("img", { src: loaded.url, alt });
      if (await isDrawn(image)) return image;
    }
    return h("span", { class: "problem", role: "alert" }, ` ${l10n.t("This picture can't be shown.")}`);
  }
}

function isDrawn(image: HTMLImageElement): Promise<boolean> {
  return image.decode().then(
    () => true,
    () => false,
  );
}

/** The browser tells pictures apart by their bytes, except drawings, which are text. */
function mediaType(bytes: Uint8Array): string {
  const beginning = new TextDecoder().decode(bytes.slice(0, 500));
  return /^\uFEFF?\s*<(?:\?xml|!--|!DOCTYPE svg|svg)/i.test(beginning) ? "image/svg+xml" : "";
}
