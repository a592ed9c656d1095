/** The grades that a passage can have, and the choice of one. */

import { h } from "../lib/dom.js";
import { t } from "../lib/text.js";

export const GRADES = [2, 1, 0];

let groups = 0;

/** @param {number | null} grade */
export function gradeText(grade) {
  switch (grade) {
    case 2:
      return t("Answers it");
    case 1:
      return t("Has to do with it");
    case 0:
      return t("Does not answer");
    default:
      return t("Not judged");
  }
}

/**
 * @param {string} name what is judged, for screen readers
 * @param {(grade: number | null) => void} chosen
 * @returns {{ element: HTMLElement, set: (grade: number | null) => void }}
 */
export function gradeChoice(name, chosen) {
  const group = `grade${(groups += 1)}`;
  const radios = [...GRADES, null].map((grade) => {
    const input = h("input", { type: "radio", name: group, value: grade === null ? "" : String(grade) });
    input.addEventListener("change", () => chosen(grade));
    return { grade, input };
  });
  const element = h(
    "fieldset",
    { class: "grades" },
    h("legend", { class: "unseen" }, name),
    ...radios.map(({ grade, input }) => h("label", {}, input, ` ${gradeText(grade)}`)),
  );
  return {
    element,
    set: (grade) => {
      for (const radio of radios) radio.input.checked = radio.grade === grade;
    },
  };
}
