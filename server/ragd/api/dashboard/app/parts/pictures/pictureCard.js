/** Small views of pictures: a thumbnail that leads to the picture's page, and what is known of it beside. */

import { get, part, picture } from "../../lib/api.js";
import { h } from "../../lib/dom.js";
import { failure, quiet } from "../../lib/parts.js";
import { t } from "../../lib/text.js";
import { drawing } from "./drawing.js";
import { badges } from "./pictureFacts.js";

const SHOWN = 300;

/** @param {string} id */
export function thumbnail(id) {
  const image = h("img", { alt: t("The picture's page"), class: "thumbnail" });
  const link = h("a", { href: `#/pictures/${part(id)}` }, image);
  picture(`/api/assets/${part(id)}`, { variant: "thumb" }).then(
    (source) => image.setAttribute("src", source),
    (error) => link.replaceWith(failure(error)),
  );
  return link;
}

/**
 * With its words, its description and its drawing.
 * @param {string} id
 */
export function pictureCard(id) {
  const place = h("div", {}, quiet(t("Being looked for …")));
  get(`/api/assets/${part(id)}/details`).then(
    ({ description, text, not_read }) => {
      const drawn = description?.mermaid && drawing(description.mermaid);
      const words = text.replaceAll("\n", " · ");
      place.replaceChildren(
        description ? badges(description) : quiet(t("It is not described.")),
        description?.summary ? h("p", {}, description.summary) : "",
        drawn ? h("div", { class: "wide small", tabindex: 0, role: "group", "aria-label": t("Diagram") }, drawn) : "",
        words
          ? quiet(t("Read in it: {0}", words.length > SHOWN ? `${words.slice(0, SHOWN)}…` : words))
          : quiet(not_read ? t("Its words were not read: {0}", not_read) : t("No words were read in it.")),
      );
    },
    (error) => place.replaceChildren(failure(error)),
  );
  return h("div", { class: "card pictured" }, thumbnail(id), place);
}
