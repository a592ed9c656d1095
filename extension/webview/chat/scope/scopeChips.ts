/** What a question is about, and what goes along with it, as chips: beside the composer with a button that takes them away. */

import * as l10n from "@vscode/l10n";

import type { AttachedText, ScopeItem } from "../../../src/protocol/session";
import { h } from "../../shared/dom";
import { icon, type IconName } from "../../shared/icons";

import type { AskOptions } from "../types";

const ICONS: Record<ScopeItem["kind"], IconName> = {
  collection: "collection",
  source: "globe",
  folder: "folder",
  document: "file",
};

/** Beside a question that was asked. */
export function askedChips({ scope = [], attachments = [] }: AskOptions): HTMLElement[] {
  if (scope.length + attachments.length === 0) return [];
  const chips = [
    ...scope.map((item) => chip(ICONS[item.kind], item.label, item.id)),
    ...attachments.map(({ name }) => chip("attach", name, name)),
  ];
  return [
    h("ul", { class: "scope-chips", "data-testid": "asked-scope", "aria-label": l10n.t("Asked about") }, ...chips),
  ];
}

/** Above the composer's field. */
export function editableChips(
  { scope = [], attachments = [] }: AskOptions,
  changed: (scope: ScopeItem[], attachments: AttachedText[]) => void,
): HTMLElement[] {
  if (scope.length + attachments.length === 0) return [];
  const without = <T>(list: readonly T[], gone: T) => list.filter((one) => one !== gone);
  const chips = [
    ...scope.map((item) =>
      chip(ICONS[item.kind], item.label, item.id, () => changed(without(scope, item), attachments)),
    ),
    ...attachments.map((text) =>
      chip("attach", text.name, text.name, () => changed(scope, without(attachments, text))),
    ),
  ];
  return [h("ul", { class: "scope-chips", "data-testid": "scope", "aria-label": l10n.t("Asked about") }, ...chips)];
}

function chip(name: IconName, label: string, title: string, remove?: () => void): HTMLElement {
  const close = l10n.t("Remove {0}", label);
  return h(
    "li",
    { class: "scope-chip", title },
    icon(name),
    h("span", {}, label),
    remove !== undefined &&
      h(
        "button",
        { type: "button", class: "ghost", "aria-label": close, title: close, onclick: remove },
        icon("close"),
      ),
  );
}
