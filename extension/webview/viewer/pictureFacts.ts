/** What is known of a picture: its description and whose it is, its table, its drawing, the documents that show it. */

import * as l10n from "@vscode/l10n";

import type { AssetDetails, PictureDescription } from "../../src/core/api/types";
import { drawDiagram } from "../shared/diagram";
import { h } from "../shared/dom";
import { csv, markdownTable } from "../shared/tableCopy";

export interface PictureFactsOptions {
  load: () => void;
  again: () => void;
  copy: (text: string) => void;
  /** `chunkId` is empty for the document as a whole. */
  openPlace: (docId: string, chunkId: string, title: string) => void;
}

export class PictureFacts {
  readonly element = h("section", { class: "picture-facts", "aria-label": l10n.t("About the picture") });
  private readonly said = h("span", { role: "status", class: "quiet" });

  constructor(private readonly options: PictureFactsOptions) {
    options.load();
  }

  arrived(details: AssetDetails | null, problem: string): void {
    if (details === null) {
      this.element.replaceChildren(h("p", { class: "problem", role: "alert" }, problem));
      return;
    }
    const { description } = details;
    const failed = details.descriptions.find(({ error }) => error !== null);
    const again = h("button", { onclick: () => this.options.again() }, l10n.t("Describe Again"));
    this.element.replaceChildren(
      ...shown([
        description
          ? describedBy(description)
          : h("p", { class: "quiet" }, l10n.t("Nobody has described this picture yet.")),
        failed &&
          h("p", { class: "problem" }, l10n.t("{0} could not describe it: {1}", by(failed), failed.error ?? "")),
        description && aboutTable(description, this.options.copy),
        description && aboutDiagram(description),
        this.places(details),
        earlier(details.descriptions, description),
        h("p", { class: "buttons" }, again, " ", this.said),
      ]),
    );
  }

  /** What came of the wish for another description. */
  answered(isQueued: boolean, problem: string): void {
    this.said.textContent =
      problem || (isQueued ? l10n.t("It is in the queue.") : l10n.t("Nothing describes pictures now."));
  }

  private places({ documents, passages }: AssetDetails): HTMLElement {
    const link = (text: string, docId: string, chunkId: string, title: string) =>
      h("button", { class: "link", onclick: () => this.options.openPlace(docId, chunkId, title) }, text);
    const rows = documents.map(({ id, title, source }) => {
      const name = title || source;
      const own = passages
        .filter(({ doc_id }) => doc_id === id)
        .map(({ chunk_id, section_path, content }) =>
          h(
            "li",
            {},
            link(section_path.join(" › ") || l10n.t("A passage"), id, chunk_id, name),
            h("span", { class: "quiet" }, ` ${content}`),
          ),
        );
      return h("li", {}, link(name, id, "", name), own.length > 0 && h("ul", {}, ...own));
    });
    const none = h("p", { class: "quiet" }, l10n.t("No document that you may see shows it."));
    return h("div", {}, h("h2", {}, l10n.t("Where it stands")), rows.length > 0 ? h("ul", {}, ...rows) : none);
  }
}

const shown = (children: (HTMLElement | false | null | undefined | "")[]): HTMLElement[] =>
  children.filter((child): child is HTMLElement => child instanceof HTMLElement);

const by = ({ provider, model }: PictureDescription): string => [provider, model].filter((one) => one !== "").join(" ");

export function typeName(type: PictureDescription["image_type"]): string {
  switch (type) {
    case "table":
      return l10n.t("Table");
    case "chart":
      return l10n.t("Chart");
    case "flowchart":
      return l10n.t("Flow chart");
    case "diagram":
      return l10n.t("Diagram");
    case "screenshot":
      return l10n.t("Screenshot");
    case "photo":
      return l10n.t("Photograph");
    case "mixed":
      return l10n.t("Several kinds in one");
    case "unknown":
      return l10n.t("Unknown kind");
  }
}

function describedBy(said: PictureDescription): HTMLElement {
  const { certainty, image_type, title, summary, key_points, uncertainties, low_quality, created_at } = said;
  const sure = certainty > 0 ? l10n.t("{0} % sure", Math.round(100 * certainty)) : "";
  const type = [typeName(image_type), sure].filter((part) => part !== "").join(", ");
  const when = new Date(created_at).toLocaleString(document.documentElement.lang || undefined);
  return h(
    "div",
    {},
    h("h2", {}, l10n.t("Description of the picture")),
    h(
      "p",
      { class: "quiet" },
      l10n.t("{0}. Described by {1}, {2}; none of these words are the document's.", type, by(said), when),
    ),
    low_quality && h("p", { class: "problem" }, l10n.t("Little could be said.")),
    title !== "" && h("h3", {}, title),
    summary !== "" && h("p", {}, summary),
    list(key_points),
    uncertainties.length > 0 && h("h3", {}, l10n.t("Not certain")),
    list(uncertainties),
  );
}

const list = (texts: readonly string[]): HTMLElement | false =>
  texts.length > 0 && h("ul", {}, ...texts.map((text) => h("li", {}, text)));

/** The cells, or a chart's values, with buttons that copy them. */
function aboutTable({ table, series }: PictureDescription, copy: (text: string) => void): HTMLElement | false {
  const all = table.length > 0 ? table : valuesOf(series);
  const [head, ...rows] = all;
  if (head === undefined) return false;
  const made = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", {}, cell)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...head.map((_, index) => h("td", {}, row[index] ?? ""))))),
  );
  const place = h("div", { class: "table" }, made);
  const title = table.length > 0 ? l10n.t("Table in the picture") : l10n.t("Values of the chart");
  const tool = (label: string, name: string, write: (rows: string[][]) => string) =>
    h("button", { "aria-label": label, onclick: () => copy(write(all)) }, name);
  const tools = h(
    "p",
    { class: "buttons" },
    tool(l10n.t("Copy table as CSV"), "CSV", csv),
    " ",
    tool(l10n.t("Copy table as Markdown"), "Markdown", markdownTable),
  );
  return h("div", {}, h("h2", {}, title), place, tools);
}

/** A row for each name of the axis, a column for each series. */
function valuesOf(series: PictureDescription["series"]): string[][] {
  if (series.length === 0) return [];
  const labels = [...new Set(series.flatMap(({ points }) => points.map(([label]) => label)))];
  const values = series.map(({ points }) => new Map(points));
  const rows = labels.map((label) => [label, ...values.map((one) => one.get(label) ?? "")]);
  return [["", ...series.map(({ name }) => name)], ...rows];
}

function aboutDiagram({ mermaid }: PictureDescription): HTMLElement | false {
  if (mermaid === "") return false;
  const code = h("pre", {}, mermaid);
  const element = h("div", {}, h("h2", {}, l10n.t("Diagram")), code);
  drawDiagram(code, mermaid);
  return element;
}

/** What others have said of it, or the same one of another time. */
function earlier(all: readonly PictureDescription[], current: PictureDescription | null): HTMLElement | false {
  const others = all.filter((one) => one.created_at !== current?.created_at || one.error !== null);
  if (others.length === 0) return false;
  const rows = others.map((one) => {
    const when = new Date(one.created_at).toLocaleString(document.documentElement.lang || undefined);
    return h("li", {}, `${when}, ${by(one)}: ${one.error ?? (one.summary || l10n.t("Little could be said."))}`);
  });
  return h("details", {}, h("summary", {}, l10n.t("Other descriptions: {0}", others.length)), h("ul", {}, ...rows));
}
