/** Buttons and boxes that the parts have in common. */

import * as l10n from "@vscode/l10n";

import type { Problem } from "../../../src/protocol/setup";
import { h } from "../../shared/dom";
import { icon, type IconName } from "../../shared/icons";

import type { Send } from "../types";

type Extra = Parameters<typeof h>[1];

export function iconButton(name: IconName, label: string, onclick: () => void, extra: Extra = {}): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "ghost", title: label, "aria-label": label, onclick, ...extra },
    icon(name),
  );
}

export function textButton(label: string, onclick: () => void, primary = false, extra: Extra = {}): HTMLButtonElement {
  return h("button", { type: "button", class: primary ? "button" : "button secondary", onclick, ...extra }, label);
}

/** The button shows for a moment that it was done. */
export function flash(button: HTMLButtonElement): void {
  const [glyph, done] = [button.firstElementChild, icon("check")];
  if (glyph === null || button.classList.contains("flash")) return;
  button.classList.add("flash");
  glyph.replaceWith(done);
  setTimeout(() => {
    done.replaceWith(glyph);
    button.classList.remove("flash");
  }, 1200);
}

/** What failed and why, what to do, and the buttons that do it; the log is always one of them. */
export function problemBox(problem: Problem, send: Send, ...more: HTMLElement[]): HTMLElement {
  const actions = [...problem.actions];
  if (!actions.some(({ command }) => command === "ragAssistant.showLog")) {
    actions.push({ label: l10n.t("Show Log"), command: "ragAssistant.showLog" });
  }
  return h(
    "div",
    { class: "problem", role: "group", "aria-label": l10n.t("Problem") },
    icon("error"),
    h(
      "div",
      { class: "problem-text" },
      h("p", { class: "problem-message" }, problem.message),
      problem.advice !== "" && h("p", { class: "problem-advice" }, problem.advice),
      h(
        "div",
        { class: "buttons" },
        ...more,
        ...actions.map(({ label, command }, index) =>
          textButton(label, () => send("problem.action", { command }), index === 0 && more.length === 0),
        ),
      ),
    ),
  );
}

export function noticeLine(text: string, name: "info" | "warning" = "info"): HTMLElement {
  return h("p", { class: "notice" }, icon(name), h("span", {}, text));
}

/** A bar of what is done; null: under way, unknown how far. */
export function progressBar(label: string, fraction: number | null): HTMLElement {
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": label }, h("div", { class: "bar-fill" }));
  setProgress(bar, fraction);
  return bar;
}

export function setProgress(bar: HTMLElement, fraction: number | null): void {
  bar.classList.toggle("unknown", fraction === null);
  const fill = bar.firstElementChild as HTMLElement;
  fill.style.width = fraction === null ? "" : `${Math.round(fraction * 100)}%`;
  bar.setAttribute("aria-valuemin", "0");
  bar.setAttribute("aria-valuemax", "100");
  if (fraction === null) bar.removeAttribute("aria-valuenow");
  else bar.setAttribute("aria-valuenow", String(Math.round(fraction * 100)));
}

export function spinner(): SVGSVGElement {
  const mark = icon("loading");
  mark.classList.add("spin");
  return mark;
}
