/** Fields of forms with their names before them, and what is chosen in them. */

import { h } from "../lib/dom.js";

/**
 * @param {string} name
 * @param {HTMLElement} control is named by this alone, and not by what can be chosen in it
 */
export function field(name, control) {
  control.setAttribute("aria-label", name);
  return h("label", { class: "field" }, h("span", {}, name), control);
}

/**
 * @param {readonly string[]} values
 * @param {(value: string) => string} [shown]
 * @param {string} [chosen]
 */
export const choice = (values, shown = String, chosen = "") =>
  h("select", {}, ...values.map((value) => h("option", { value, selected: value === chosen }, shown(value))));

/**
 * Several of some values, by boxes.
 * @param {string} legend
 * @param {readonly string[]} values
 * @param {(value: string) => boolean} isChosen at first
 */
export function several(legend, values, isChosen) {
  const boxes = values.map((value) => h("input", { type: "checkbox", value, checked: isChosen(value) }));
  const element = h(
    "fieldset",
    { class: "several" },
    h("legend", {}, legend),
    ...boxes.map((box) => h("label", {}, box, " ", box.value)),
  );
  return { element, chosen: () => boxes.filter(({ checked }) => checked).map(({ value }) => value) };
}

/** A number, or nothing where the field is empty. @param {HTMLInputElement} input */
export const numberOrNothing = (input) => (input.value === "" ? null : input.valueAsNumber);
