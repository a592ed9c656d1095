/** Pictures of documents: the extension fetches them, here they become thumbnails. */

import * as l10n from "@vscode/l10n";

import type { Image } from "../../../src/core/api/types";
import type { ToWebview } from "../../../src/protocol/chat";
import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

import type { Send } from "../types";

export class Images {
  private readonly urls = new Map<string, string>();
  private readonly waiting = new Map<string, HTMLElement[]>();

  constructor(private readonly send: Send) {}

  /** A picture that comes when it can; until then, and when it can't, its description. */
  thumbnail(image: Image): HTMLElement {
    const place = h("span", { class: "thumbnail" }, icon("file"), imageName(image));
    const url = this.urls.get(image.asset_id);
    if (url !== undefined) fill(place, url, imageName(image));
    else {
      const others = this.waiting.get(image.asset_id);
      this.waiting.set(image.asset_id, [...(others ?? []), place]);
      place.dataset["name"] = imageName(image);
      if (others === undefined) this.send("image.load", { assetId: image.asset_id, variant: "thumb" });
    }
    return place;
  }

  /** A thumbnail that opens the picture. */
  button(image: Image): HTMLElement {
    const open = () => this.send("image.open", { assetId: image.asset_id, title: imageName(image) });
    const label = l10n.t("Open picture: {0}", imageName(image));
    return h(
      "button",
      { type: "button", class: "picture", "aria-label": label, title: label, onclick: open },
      this.thumbnail(image),
    );
  }

  loaded({ assetId, variant, bytes, problem }: ToWebview["image"]): void {
    if (variant !== "thumb") return;
    const places = this.waiting.get(assetId) ?? [];
    this.waiting.delete(assetId);
    if (bytes === null) {
      for (const place of places) place.title = problem;
      return;
    }
    const url = URL.createObjectURL(new Blob([new Uint8Array(bytes)]));
    this.urls.set(assetId, url);
    for (const place of places) fill(place, url, place.dataset["name"] ?? "");
  }
}

export function imageName(image: Image): string {
  return image.caption ?? image.text?.slice(0, 80) ?? l10n.t("Picture");
}

/** What a captioner says of a picture, and who: no words of the document. */
export function descriptionOf({ description, described_by: by }: Image): HTMLElement[] {
  if (!description) return [];
  const said = l10n.t("Description of the picture ({0}): {1}", by ?? "", description);
  return [h("span", { class: "picture-description", title: said }, said)];
}

function fill(place: HTMLElement, src: string, alt: string): void {
  place.replaceChildren(h("img", { src, alt }));
}
