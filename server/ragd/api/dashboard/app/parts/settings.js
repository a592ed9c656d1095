/** Settings that one question may change, chosen from the daemon's own list of them; each control is made from the setting's rule. */

import { h } from "../lib/dom.js";
import { t } from "../lib/text.js";

/** @typedef {{ name: string, value: unknown, default: unknown, rule: any }} Setting */

/**
 * @param {readonly Setting[]} settings
 * @returns {{ element: HTMLElement, values(): Record<string, unknown> }} `values` are those of the rows that were added
 */
export function settingsPicker(settings) {
  /** @type {Map<string, () => unknown>} */
  const chosen = new Map();
  const rows = h("div", {});
  const select = h(
    "select",
    { "aria-label": t("A setting to change") },
    h("option", { value: "" }, t("Change a setting …")),
    ...settings.map(({ name }) => h("option", { value: name }, name)),
  );
  select.addEventListener("change", () => {
    const setting = settings.find(({ name }) => name === select.value);
    select.value = "";
    if (setting && !chosen.has(setting.name)) add(setting);
  });

  /** @param {Setting} setting */
  function add(setting) {
    const { element, value } = control(setting);
    element.setAttribute("aria-label", setting.name);
    const row = h(
      "div",
      { class: "controls" },
      h("label", {}, h("code", {}, setting.name), " ", element),
      h(
        "button",
        {
          type: "button",
          "aria-label": t("Leave {0} as it is", setting.name),
          onclick: remove,
        },
        "×",
      ),
    );
    function remove() {
      chosen.delete(setting.name);
      row.remove();
      select.focus();
    }
    chosen.set(setting.name, value);
    rows.append(row);
    element.focus();
  }
  return {
    element: h("div", {}, rows, h("div", { class: "controls" }, select)),
    values: () => Object.fromEntries([...chosen].map(([name, value]) => [name, value()])),
  };
}

/**
 * @param {Setting} setting
 * @returns {{ element: HTMLElement, value: () => unknown }}
 */
function control({ value, rule }) {
  const type = rule.type ?? typeof value;
  if (rule.enum) {
    const element = h(
      "select",
      {},
      ...rule.enum.map((/** @type {string} */ one) => h("option", { value: one, selected: one === value }, one)),
    );
    return { element, value: () => element.value };
  }
  if (type === "boolean") {
    const element = h("input", { type: "checkbox", checked: value === true });
    return { element, value: () => element.checked };
  }
  if (type === "integer" || type === "number") {
    const element = h("input", {
      type: "number",
      required: true,
      value: Number(value),
      min: rule.minimum,
      max: rule.maximum,
      step: type === "integer" ? 1 : "any",
    });
    return { element, value: () => element.valueAsNumber };
  }
  const element = h("input", { type: "text", value: String(value ?? "") });
  return { element, value: () => element.value };
}
