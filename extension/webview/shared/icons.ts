/** A small set of 16-pixel line icons in the manner of the editor's own; they take the colour of the text. */

import { SHELL_ICONS } from "../../src/protocol/shellIcons";

const LINES = {
  ...SHELL_ICONS,
  arrowDown: "M8 3v9.5M4 8.7l4 4 4-4",
  book: "M8 4v9M8 4C6.5 3 4.5 2.8 2.5 3v9c2-.2 4 0 5.5 1 1.5-1 3.5-1.2 5.5-1V3c-2-.2-4 0-5.5 1z",
  pin: "M5.5 2.5h5M6.5 2.5v4L4 9.5h8L9.5 6.5v-4M8 9.5v4.5",
  check: "M3 8.5l3.5 3.5L13.5 4.5",
  chevronRight: "M6 4l4 4-4 4",
  close: "M4 4l8 8M12 4l-8 8",
  code: "M6 4.5L2.5 8 6 11.5M10 4.5L13.5 8 10 11.5",
  collection:
    "M13 4c0 1.1-2.24 2-5 2S3 5.1 3 4s2.24-2 5-2 5 .9 5 2zM3 4v4c0 1.1 2.24 2 5 2s5-.9 5-2V4M3 8v4c0 1.1 2.24 2 5 2s5-.9 5-2V8",
  copy: "M5.5 5.5h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM11.5 5.5v-3a1 1 0 0 0-1-1h-7a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h1",
  edit: "M2.5 13.5l.8-3.3L11 2.5l2.5 2.5-7.7 7.7zM9.3 4.2l2.5 2.5",
  error: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM6 6l4 4M10 6l-4 4",
  file: "M9 1.5H4.5a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1V5zM9 1.5V5h3.5",
  filter: "M2 4h12M4.5 8h7M6.5 12h3",
  folder: "M1.5 12.5v-9a1 1 0 0 1 1-1H6L7.5 4h6a1 1 0 0 1 1 1v7.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z",
  globe: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12",
  image: "M2 3h12v10H2zM2 11l3.5-3.5 3 3 2-2L14 12M10.5 5.8v.6",
  info: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 7.2v3.8M8 4.8v.6",
  insert: "M3 3h10M3 13h10M8 5v6M5.5 8.5L8 11l2.5-2.5",
  issue: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 7.7v.6",
  loading: "M8 2.5a5.5 5.5 0 1 1-5.5 5.5",
  mail: "M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5",
  markdown: "M1.5 4h13v8h-13zM4 10V6l2 2.2L8 6v4M11.5 6v3.8M10 8.4l1.5 1.6L13 8.4",
  model: "M8 1.8l1.5 4.7L14.2 8 9.5 9.5 8 14.2 6.5 9.5 1.8 8l4.7-1.5z",
  notebook: "M4 2h9v12H4zM2.5 5H4M2.5 8H4M2.5 11H4M6.5 5.5h4",
  pdf: "M9 1.5H4.5a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1V5zM9 1.5V5h3.5M5.3 12.2c2.2-1 3.3-3.6 2.8-5-.5 1.8 1.2 3.6 2.9 3.5-1.7-.3-4 .3-5.7 1.5z",
  refresh: "M13.5 8A5.5 5.5 0 1 1 11.8 4M13.5 2.5v2.7h-2.7",
  search: "M11 6.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM9.8 9.8l4.2 4.2",
  slides: "M2 3h12v8H2zM8 11v2.5M5.5 13.5h5M5.5 8.5v-2M8 8.5V5M10.5 8.5V6.5",
  strategy: "M3 4h3.5L10 12h3M3 12h3.5l1-2.3M9 5.5L10 4h3M11.5 2.5L13 4l-1.5 1.5M11.5 10.5L13 12l-1.5 1.5",
  table: "M2 3h12v10H2zM2 6.3h12M2 9.6h12M6.5 6.3V13",
  thumbDown:
    "M4.5 2.5v7M2.5 2.5h8.7a1.2 1.2 0 0 1 1.2 1l1 4.6a1.2 1.2 0 0 1-1.2 1.4H9.2l.5 2.8a1.3 1.3 0 0 1-2.5.6L4.5 9.5h-2z",
  thumbUp:
    "M4.5 13.5v-7M2.5 13.5h8.7a1.2 1.2 0 0 0 1.2-1l1-4.6a1.2 1.2 0 0 0-1.2-1.4H9.2l.5-2.8a1.3 1.3 0 0 0-2.5-.6L4.5 6.5h-2z",
  trash: "M2.5 4h11M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4M6.7 6.5v4.5M9.3 6.5v4.5",
  upload: "M8 10V2.5M4.8 5.5L8 2.3l3.2 3.2M2.5 10v3.5h11V10",
  warning: "M8 2L14.5 13.5h-13zM8 6.3v3.5M8 11.2v.6",
} as const;

const SHAPES = { stop: "M4 4h8v8H4z", circle: "M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z" } as const;

export type IconName = keyof typeof LINES | keyof typeof SHAPES;

const SVG = "http://www.w3.org/2000/svg";

/** Decoration only: what it stands beside or in says the meaning in words. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  const filled = name in SHAPES;
  path.setAttribute("d", filled ? SHAPES[name as keyof typeof SHAPES] : LINES[name as keyof typeof LINES]);
  path.setAttribute("class", filled ? "shape" : "line");
  svg.append(path);
  return svg;
}
