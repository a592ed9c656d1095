/** Making elements without HTML strings: text stays text. */

type Child = Node | string | null | undefined | false;
type Listeners = { [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => void };
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)> & Listeners;

/**
 * `h("button", { class: "icon", "aria-label": t("Send"), onclick: send }, "…")`.
 * An attribute that is `true` stands without a value; one that is `false` or undefined is left out.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(
    ...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false),
  );
  return element;
}
