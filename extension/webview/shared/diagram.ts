/** Mermaid diagrams, in the colours of the editor. Mermaid itself is loaded with the first one. */

import * as l10n from "@vscode/l10n";
import DOMPurify from "dompurify";
import type { MermaidConfig } from "mermaid";

import { zoomDiagram } from "./diagramZoom";
import { h } from "./dom";

const drawn = new Map<HTMLElement, () => Promise<void>>();
let count = 0;
/** Mermaid keeps its configuration in one place: one diagram after the other. */
let turn = Promise.resolve();

/** Put the drawing of `source` before `code`, which is folded away; when it can't be drawn, the code stays, with the reason. */
export function drawDiagram(code: HTMLElement, source: string): void {
  const figure = h("figure", { class: "diagram", role: "img", tabindex: 0, "aria-label": l10n.t("Diagram") });
  const problem = h("p", { class: "diagram-problem", hidden: true });
  const folded = h("details", { class: "diagram-source" }, h("summary", {}, l10n.t("Show the diagram's code")));
  const enlarge = h(
    "button",
    { type: "button", class: "ghost diagram-enlarge", hidden: true, onclick: () => zoomDiagram(figure) },
    l10n.t("Enlarge diagram"),
  );
  code.replaceWith(figure, enlarge, problem, folded);
  folded.append(code);
  const draw = async () => {
    try {
      figure.replaceChildren(await svgOf(source));
      problem.hidden = true;
      enlarge.hidden = false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problem.textContent = l10n.t("The diagram could not be drawn: {0}", reason);
      problem.hidden = false;
      enlarge.hidden = true;
      folded.open = true;
    }
  };
  drawn.set(figure, draw);
  void draw();
}

/** The theme has changed: draw all again. */
export function redrawDiagrams(): void {
  for (const [figure, draw] of drawn) {
    if (figure.isConnected) void draw();
    else drawn.delete(figure);
  }
}

async function svgOf(source: string): Promise<DocumentFragment> {
  const { default: mermaid } = await import("mermaid");
  const previous = turn;
  let done: () => void = () => undefined;
  turn = new Promise((resolve) => (done = resolve));
  await previous;
  try {
    mermaid.initialize(configuration());
    const { svg } = await mermaid.render(`diagram-${++count}`, source);
    return DOMPurify.sanitize(svg, {
      USE_PROFILES: { svg: true, svgFilters: true },
      RETURN_DOM_FRAGMENT: true,
    });
  } finally {
    done();
  }
}

function configuration(): MermaidConfig {
  const style = getComputedStyle(document.body);
  const colour = (name: string, other: string) =>
    style.getPropertyValue(`--vscode-${name}`).trim() || style.getPropertyValue(`--vscode-${other}`).trim();
  const text = colour("foreground", "editor-foreground");
  const background = colour("editor-background", "sideBar-background");
  const box = colour("editorWidget-background", "editor-background");
  const line = colour("editorWidget-border", "foreground");
  return {
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    // Labels as HTML would need foreignObject, which the sanitiser takes out.
    htmlLabels: false,
    fontFamily: style.fontFamily,
    theme: "base",
    themeVariables: {
      darkMode: /vscode-(dark|high-contrast)(?!-light)/.test(document.body.className),
      ...{
        background,
        primaryColor: box,
        secondaryColor: box,
        tertiaryColor: background,
        mainBkg: box,
        noteBkgColor: box,
      },
      ...{
        primaryTextColor: text,
        secondaryTextColor: text,
        tertiaryTextColor: text,
        textColor: text,
        noteTextColor: text,
      },
      ...{
        lineColor: text,
        primaryBorderColor: line,
        secondaryBorderColor: line,
        tertiaryBorderColor: line,
        noteBorderColor: line,
      },
      ...{ edgeLabelBackground: background, clusterBkg: background, clusterBorder: line, titleColor: text },
      ...{ actorBkg: box, actorTextColor: text, actorLineColor: line, signalColor: text, signalTextColor: text },
    },
  };
}
