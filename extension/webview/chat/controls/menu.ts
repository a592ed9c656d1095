/** Pop-up menus and panels beside the button that opened them. One at a time; Escape gives the focus back. */

import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

export interface MenuItem {
  label: string;
  detail?: string;
  /** Part of a choice of one. */
  checked?: boolean;
  run(): void;
}

export interface MenuSection {
  title?: string;
  items: MenuItem[];
}

const MARGIN = 4;
let close: (() => void) | undefined;

export function closePopup(): void {
  close?.();
}

/** Show `content` above or below `anchor`, wherever there is room; the anchor's aria-expanded follows. */
export function openPopup(anchor: HTMLElement, content: HTMLElement, onClose: () => void = () => undefined): void {
  close?.();
  content.classList.add("popup");
  // Within the part of the page that it belongs to, as those who move by landmarks expect.
  (anchor.closest("main, form, nav, header") ?? document.body).append(content);
  place(anchor, content);
  anchor.setAttribute("aria-expanded", "true");
  const outside = (event: Event) => {
    const target = event.target as Node;
    if (!content.contains(target) && !anchor.contains(target)) finish(false);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    finish(true);
  };
  const resize = () => finish(false);
  const finish = (back: boolean) => {
    if (close !== dismiss) return;
    close = undefined;
    document.removeEventListener("pointerdown", outside, true);
    document.removeEventListener("focusin", outside, true);
    content.removeEventListener("keydown", key);
    window.removeEventListener("resize", resize);
    anchor.setAttribute("aria-expanded", "false");
    if (back || content.contains(document.activeElement)) anchor.focus();
    content.remove();
    onClose();
  };
  const dismiss = () => finish(true);
  close = dismiss;
  document.addEventListener("pointerdown", outside, true);
  document.addEventListener("focusin", outside, true);
  content.addEventListener("keydown", key);
  window.addEventListener("resize", resize);
}

export function openMenu(anchor: HTMLElement, label: string, sections: MenuSection[]): void {
  if (anchor.getAttribute("aria-expanded") === "true") {
    closePopup();
    return;
  }
  const buttons: HTMLButtonElement[] = [];
  const menu = h(
    "div",
    { class: "menu", role: "menu", "aria-label": label },
    ...sections
      .filter(({ items }) => items.length > 0)
      .map(({ title, items }) =>
        h(
          "div",
          { class: "menu-section", role: "group", "aria-label": title },
          title !== undefined && h("div", { class: "menu-title", "aria-hidden": "true" }, title),
          ...items.map((item) => {
            const button = menuButton(item);
            buttons.push(button);
            return button;
          }),
        ),
      ),
  );
  menu.addEventListener("keydown", (event) => move(event, buttons));
  openPopup(anchor, menu);
  (buttons.find((button) => button.getAttribute("aria-checked") === "true") ?? buttons[0])?.focus();
}

function menuButton(item: MenuItem): HTMLButtonElement {
  const radio = item.checked !== undefined;
  return h(
    "button",
    {
      type: "button",
      class: "menu-item",
      role: radio ? "menuitemradio" : "menuitem",
      "aria-checked": radio ? String(item.checked) : undefined,
      tabindex: -1,
      onclick: () => {
        closePopup();
        item.run();
      },
    },
    h("span", { class: "menu-check" }, item.checked === true && icon("check")),
    h("span", { class: "menu-label" }, item.label),
    item.detail !== undefined && h("span", { class: "menu-detail" }, item.detail),
  );
}

function move(event: KeyboardEvent, buttons: HTMLButtonElement[]): void {
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const to = {
    ArrowDown: (at + 1) % buttons.length,
    ArrowUp: (at - 1 + buttons.length) % buttons.length,
    Home: 0,
    End: buttons.length - 1,
  }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    buttons[to]?.focus();
  } else if (event.key === "Tab") {
    event.preventDefault();
    closePopup();
  } else if (event.key.length === 1 && event.key !== " ") {
    const rest = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)];
    const text = (button: HTMLButtonElement) => button.querySelector(".menu-label")?.textContent ?? "";
    rest.find((button) => text(button).toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
  }
}

/** Inside the window, on the side of the anchor that has more room. */
export function place(anchor: HTMLElement, content: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const below = window.innerHeight - at.bottom - 2 * MARGIN;
  const above = at.top - 2 * MARGIN;
  content.style.maxHeight = `${Math.max(below, above)}px`;
  const { width, height } = content.getBoundingClientRect();
  const down = height <= below || below >= above;
  content.style.top = `${down ? at.bottom + MARGIN : at.top - MARGIN - height}px`;
  content.style.left = `${Math.max(MARGIN, Math.min(at.left, window.innerWidth - width - MARGIN))}px`;
}
