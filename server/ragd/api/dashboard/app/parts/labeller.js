/** By what name somebody labels. Where the daemon asks for keys it knows the name, and the field stays empty. */

import { h } from "../lib/dom.js";
import { t } from "../lib/text.js";

const NAME = "ragd.dashboard.labeller";

export const labeller = () => localStorage.getItem(NAME) ?? "";

/** What the API takes: nothing where no name was given. */
export const asAuthor = () => (labeller() ? { author: labeller() } : {});

/** @param {() => void} changed */
export function labellerField(changed) {
  const input = h("input", {
    type: "text",
    name: "labeller",
    maxlength: 255,
    value: labeller(),
    "aria-label": t("Your name"),
    placeholder: t("Your name"),
    title: t("Two people at one machine label by two names. Without a name, yours is the one that the daemon knows."),
  });
  input.addEventListener("change", () => {
    localStorage.setItem(NAME, input.value.trim());
    changed();
  });
  return input;
}
