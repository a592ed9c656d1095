/** A diagram by itself over the whole view, where it can be made larger and moved. */

import * as l10n from "@vscode/l10n";

import { h } from "./dom";

const STEP = 1.25;
const LEAST = 0.25;
const MOST = 8;

/** Shows a copy of the drawing; Escape, the button or a click beside it closes, and the focus goes back. */
export function zoomDiagram(figure: HTMLElement): void {
  const svg = figure.querySelector("svg");
  if (!svg) return;
  const drawing = svg.cloneNode(true) as SVGSVGElement;
  drawing.removeAttribute("style");
  const { width, height } = svg.viewBox.baseVal;
  let factor = 0;
  const area = h("div", { class: "zoomed-area", tabindex: 0, role: "group", "aria-label": l10n.t("Diagram") }, drawing);
  const scale = (wanted: number) => {
    factor = Math.min(MOST, Math.max(LEAST, wanted));
    drawing.setAttribute("width", String(width * factor));
    drawing.setAttribute("height", String(height * factor));
  };
  const fit = () => scale(Math.min(area.clientWidth / width, area.clientHeight / height) || 1);
  const button = (label: string, sign: string, act: () => void) =>
    h("button", { type: "button", class: "button secondary", title: label, "aria-label": label, onclick: act }, sign);
  const dialog = h(
    "dialog",
    { class: "zoomed", "aria-label": l10n.t("Diagram") },
    h(
      "div",
      { class: "zoomed-tools", role: "toolbar", "aria-label": l10n.t("Zoom") },
      button(l10n.t("Zoom in (+)"), "+", () => scale(factor * STEP)),
      button(l10n.t("Zoom out (-)"), "−", () => scale(factor / STEP)),
      button(l10n.t("Fit Whole"), "0", fit),
      button(l10n.t("Close"), "×", () => dialog.close()),
    ),
    area,
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    figure.focus();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    // Escape is the dialog's own, and must not stop an answer.
    event.stopPropagation();
    if (event.key === "+" || event.key === "=") scale(factor * STEP);
    else if (event.key === "-") scale(factor / STEP);
    else if (event.key === "0") fit();
  });
  document.body.append(dialog);
  dialog.showModal();
  fit();
  area.focus();
}
