/** The sessions that are kept: a button with the title of the one shown, and the list that it opens. */

import * as l10n from "@vscode/l10n";

import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

import { iconButton, textButton } from "../controls/controls";
import type { Send, SessionRow } from "../types";
import { dateGroup, timeText } from "./dates";

const SEARCH_MS = 150;

export class History {
  readonly element: HTMLElement;
  private readonly toggle: HTMLButtonElement;
  private readonly title = h("span", { class: "history-title" });
  private readonly search: HTMLInputElement;
  private readonly list = h("div", { class: "history-list" });
  private readonly panel: HTMLElement;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private current = "";

  constructor(
    private readonly send: Send,
    private readonly language: string,
  ) {
    this.toggle = h(
      "button",
      {
        type: "button",
        class: "history-toggle",
        "aria-expanded": "false",
        onclick: () => this.setOpen(this.panel.hidden),
      },
      icon("history"),
      this.title,
      icon("chevronDown"),
    );
    this.search = h("input", {
      type: "search",
      placeholder: l10n.t("Search chats"),
      "aria-label": l10n.t("Search chats"),
      oninput: () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.ask(), SEARCH_MS);
      },
    });
    this.panel = h("div", { class: "history-panel", hidden: true }, this.search, this.list);
    this.element = h(
      "nav",
      { class: "history", "data-testid": "history", "aria-label": l10n.t("Chats") },
      this.toggle,
      this.panel,
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
    // It lies over the answers: it closes once somebody goes on elsewhere, by the pointer, by keys or by a command.
    for (const type of ["pointerdown", "focusin"])
      document.addEventListener(type, (event) => {
        if (!this.element.contains(event.target as Node)) this.setOpen(false, false);
      });
  }

  setCurrent(id: string, title: string): void {
    // The page gets no event of the focus while the editor has it, as with a new chat by a command.
    if (id !== this.current) this.setOpen(false, false);
    this.current = id;
    const shown = title === "" ? l10n.t("New chat") : title;
    this.title.textContent = shown;
    this.toggle.title = shown;
    this.toggle.setAttribute("aria-label", l10n.t("Chats. Shown now: {0}", shown));
  }

  open(): void {
    this.setOpen(true);
  }

  show(text: string, rows: readonly SessionRow[]): void {
    if (text !== this.search.value.trim()) return;
    const focused = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>("[data-session]")?.dataset[
      "session"
    ];
    const groups = new Map<string, SessionRow[]>();
    for (const row of rows) {
      const group = row.pinned === true ? l10n.t("Pinned") : dateGroup(row.updatedAt, new Date());
      groups.set(group, [...(groups.get(group) ?? []), row]);
    }
    const children = [...groups].map(([title, members]) =>
      h(
        "div",
        { class: "history-group", role: "group", "aria-label": title },
        h("h2", {}, title),
        ...members.map((row) => this.row(row)),
      ),
    );
    const empty = text === "" ? l10n.t("No chats yet") : l10n.t("Nothing found for “{0}”", text);
    this.list.replaceChildren(...(children.length > 0 ? children : [h("p", { class: "quiet" }, empty)]));
    if (focused === undefined || !this.list.isConnected) return;
    const again = [...this.list.querySelectorAll<HTMLElement>("[data-session]")].find(
      (row) => row.dataset["session"] === focused,
    );
    (again?.querySelector<HTMLElement>("button") ?? this.search).focus();
  }

  private setOpen(open: boolean, back = true): void {
    if (open !== this.panel.hidden) return;
    this.panel.hidden = !open;
    this.toggle.setAttribute("aria-expanded", String(open));
    if (open) {
      this.search.value = "";
      this.ask();
      this.search.focus();
    } else if (back) this.toggle.focus();
  }

  private ask(): void {
    this.send("session.search", { text: this.search.value.trim() });
  }

  private row(row: SessionRow): HTMLElement {
    const title = row.title === "" ? l10n.t("New chat") : row.title;
    const open = h(
      "button",
      {
        type: "button",
        class: "history-open",
        "aria-current": row.id === this.current ? "true" : undefined,
        onclick: () => {
          this.setOpen(false);
          this.send("session.open", { sessionId: row.id });
        },
      },
      h("span", { class: "history-name" }, title),
      row.excerpt !== undefined && h("span", { class: "history-excerpt" }, row.excerpt),
      h("span", { class: "history-time" }, timeText(row.updatedAt, this.language)),
    );
    const element = h(
      "div",
      { class: "history-row", "data-session": row.id },
      open,
      this.pin(row),
      iconButton("edit", l10n.t("Rename chat"), () => this.rename(element, row, title)),
      iconButton("trash", l10n.t("Delete chat"), () => this.confirm(element, row)),
    );
    return element;
  }

  private pin({ id, ...row }: SessionRow): HTMLElement {
    const pinned = row.pinned === true;
    const label = pinned ? l10n.t("Unpin chat") : l10n.t("Pin chat");
    const turn = () => this.send("session.pin", { sessionId: id, pinned: !pinned });
    return iconButton("pin", label, turn, { "aria-pressed": String(pinned) });
  }

  private rename(element: HTMLElement, row: SessionRow, title: string): void {
    const input = h("input", { type: "text", "aria-label": l10n.t("New name"), value: title });
    const done = (save: boolean) => {
      const name = input.value.trim();
      if (save && name !== "" && name !== title) this.send("session.rename", { sessionId: row.id, title: name });
      const again = this.row({ ...row, title: save && name !== "" ? name : row.title });
      element.replaceWith(again);
      again.querySelector("button")?.focus();
    };
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      event.stopPropagation();
      done(event.key === "Enter");
    });
    element.replaceChildren(
      input,
      iconButton("check", l10n.t("Save name"), () => done(true)),
    );
    input.focus();
    input.select();
  }

  private confirm(element: HTMLElement, row: SessionRow): void {
    const remove = textButton(
      l10n.t("Delete"),
      () => {
        this.send("session.delete", { sessionId: row.id });
        this.search.focus();
        element.remove();
      },
      true,
    );
    const keep = textButton(l10n.t("Keep"), () => {
      const again = this.row(row);
      element.replaceWith(again);
      again.querySelector("button")?.focus();
    });
    element.replaceChildren(
      h(
        "div",
        { class: "history-confirm", role: "group" },
        h("span", {}, l10n.t("Delete this chat?")),
        h("div", { class: "buttons" }, remove, keep),
      ),
    );
    keep.focus();
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape" && !this.panel.hidden) {
      event.preventDefault();
      event.stopPropagation();
      this.setOpen(false);
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [this.search, ...this.list.querySelectorAll<HTMLElement>(".history-open")];
    const active = document.activeElement;
    const row = active?.closest(".history-row")?.querySelector(".history-open");
    const at = stops.findIndex((stop) => stop === active || stop === row);
    if (at === -1) return;
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))]?.focus();
  }
}
