/** The panel in which a question is narrowed: kinds of documents, languages, pictures, a path, an earliest date. */

import * as l10n from "@vscode/l10n";

import { FORMATS, type DocType } from "../../../src/core/api/formats.gen";
import { h } from "../../shared/dom";

import { textButton } from "../controls/controls";
import { closePopup, openPopup } from "../controls/menu";
import type { AskOptions } from "../types";

type Filters = NonNullable<AskOptions["filters"]>;

const LANGUAGES = ["en", "ja", "zh", "ko", "de", "fr", "es"];

type ImageType = Extract<NonNullable<Filters["image_type"]>, string>;
/** `any` and `none` are about pictures of every type. */
type PictureChoice = "any" | "none" | ImageType;

function pictureChoices(): [PictureChoice, string][] {
  return [
    ["any", l10n.t("With a picture")],
    ["none", l10n.t("Without pictures")],
    ["table", l10n.t("Table")],
    ["chart", l10n.t("Chart")],
    ["flowchart", l10n.t("Flow chart")],
    ["diagram", l10n.t("Diagram")],
    ["screenshot", l10n.t("Screenshot")],
    ["photo", l10n.t("Photograph")],
  ];
}

export function filterCount(filters: Filters | undefined): number {
  return Object.values(filters ?? {}).filter((value) => value !== null).length;
}

export function openFilters(
  anchor: HTMLElement,
  filters: Filters,
  language: string,
  changed: (filters: Filters) => void,
): void {
  if (anchor.getAttribute("aria-expanded") === "true") {
    closePopup();
    return;
  }
  const docTypes = new Set([filters.doc_type ?? []].flat());
  const languages = new Set([filters.language ?? []].flat());
  const pictures = chosenPictures(filters);
  const path = h("input", {
    type: "text",
    id: "filter-path",
    placeholder: l10n.t("such as guides/"),
    value: filters.path_prefix ?? "",
  });
  const after = h("input", { type: "date", id: "filter-after", value: filters.updated_after?.slice(0, 10) ?? "" });
  const kinds = Object.entries(FORMATS).map(([kind, { label }]): [DocType, string] => [kind as DocType, label()]);
  const apply = () => changed(read(docTypes, languages, pictures, path.value.trim(), after.value));
  path.addEventListener("change", apply);
  after.addEventListener("change", apply);
  const names = new Intl.DisplayNames([language], { type: "language" });
  const clear = () => {
    docTypes.clear();
    languages.clear();
    pictures.clear();
    path.value = after.value = "";
    closePopup(); // which applies what is left: nothing
  };
  const panel = h(
    "div",
    { class: "filters", role: "dialog", "aria-label": l10n.t("Filters") },
    choices(l10n.t("Document type"), kinds, docTypes, apply),
    choices(
      l10n.t("Language"),
      LANGUAGES.map((code) => [code, names.of(code) ?? code]),
      languages,
      apply,
    ),
    choices(l10n.t("Pictures in the passage"), pictureChoices(), pictures, apply, withoutContradiction),
    h("label", { for: "filter-path" }, l10n.t("Path begins with")),
    path,
    h("label", { for: "filter-after" }, l10n.t("Changed after")),
    after,
    h(
      "div",
      { class: "buttons" },
      textButton(l10n.t("Clear Filters"), clear),
      textButton(l10n.t("Done"), closePopup, true),
    ),
  );
  // Closed by a click elsewhere, a text field has not told of its change yet.
  openPopup(anchor, panel, apply);
  panel.querySelector<HTMLElement>("button")?.focus();
}

function chosenPictures({ has_image, image_type }: Filters): Set<PictureChoice> {
  const types = new Set<PictureChoice>([image_type ?? []].flat());
  if (has_image !== undefined && has_image !== null) types.add(has_image ? "any" : "none");
  return types;
}

/** A passage without pictures has none of any type. */
function withoutContradiction(chosen: Set<PictureChoice>, last: PictureChoice): void {
  if (last === "none") for (const other of [...chosen]) if (other !== "none") chosen.delete(other);
  if (last !== "none") chosen.delete("none");
}

function read(
  docTypes: Set<DocType>,
  languages: Set<string>,
  pictures: Set<PictureChoice>,
  path: string,
  after: string,
): Filters {
  const filters: Filters = {};
  if (docTypes.size > 0) filters.doc_type = [...docTypes];
  if (languages.size > 0) filters.language = [...languages];
  const types = [...pictures].filter((choice) => choice !== "any" && choice !== "none");
  if (types.length > 0) filters.image_type = types;
  if (pictures.has("any")) filters.has_image = true;
  if (pictures.has("none")) filters.has_image = false;
  if (path !== "") filters.path_prefix = path;
  if (after !== "") filters.updated_after = after;
  return filters;
}

function choices<Value extends string>(
  title: string,
  values: [Value, string][],
  chosen: Set<Value>,
  apply: () => void,
  settle: (chosen: Set<Value>, last: Value) => void = () => undefined,
): HTMLElement {
  const buttons = new Map<Value, HTMLElement>();
  const toggle = ([value, label]: [Value, string]) => {
    const button = h("button", { type: "button", class: "toggle", "aria-pressed": String(chosen.has(value)) }, label);
    buttons.set(value, button);
    button.addEventListener("click", () => {
      if (!chosen.delete(value)) {
        chosen.add(value);
        settle(chosen, value);
      }
      for (const [one, other] of buttons) other.setAttribute("aria-pressed", String(chosen.has(one)));
      apply();
    });
    return button;
  };
  return h(
    "div",
    { class: "filter-group", role: "group", "aria-label": title },
    h("div", { class: "filter-title" }, title),
    ...values.map(toggle),
  );
}
