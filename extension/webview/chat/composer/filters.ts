/** The panel in which a question is narrowed: kinds of documents, languages, a path, an earliest date. */

import * as l10n from "@vscode/l10n";

import { FORMATS, type DocType } from "../../../src/core/api/formats.gen";
import { h } from "../../shared/dom";

import { textButton } from "../controls/controls";
import { closePopup, openPopup } from "../controls/menu";
import type { AskOptions } from "../types";

type Filters = NonNullable<AskOptions["filters"]>;

const LANGUAGES = ["en", "ja", "zh", "ko", "de", "fr", "es"];

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
  const path = h("input", {
    type: "text",
    id: "filter-path",
    placeholder: l10n.t("such as guides/"),
    value: filters.path_prefix ?? "",
  });
  const after = h("input", { type: "date", id: "filter-after", value: filters.updated_after?.slice(0, 10) ?? "" });
  const kinds = Object.entries(FORMATS).map(([kind, { label }]): [DocType, string] => [kind as DocType, label()]);
  const apply = () => changed(read(docTypes, languages, path.value.trim(), after.value));
  path.addEventListener("change", apply);
  after.addEventListener("change", apply);
  const names = new Intl.DisplayNames([language], { type: "language" });
  const clear = () => {
    docTypes.clear();
    languages.clear();
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

function read(docTypes: Set<DocType>, languages: Set<string>, path: string, after: string): Filters {
  const filters: Filters = {};
  if (docTypes.size > 0) filters.doc_type = [...docTypes];
  if (languages.size > 0) filters.language = [...languages];
  if (path !== "") filters.path_prefix = path;
  if (after !== "") filters.updated_after = after;
  return filters;
}

function choices<Value extends string>(
  title: string,
  values: [Value, string][],
  chosen: Set<Value>,
  apply: () => void,
): HTMLElement {
  const toggle = ([value, label]: [Value, string]) => {
    const button = h("button", { type: "button", class: "toggle", "aria-pressed": String(chosen.has(value)) }, label);
    button.addEventListener("click", () => {
      if (!chosen.delete(value)) chosen.add(value);
      button.setAttribute("aria-pressed", String(chosen.has(value)));
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
