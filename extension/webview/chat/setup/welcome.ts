/** What stands in a conversation before the first question. */

import * as l10n from "@vscode/l10n";

import type { PanelDaemonState } from "../../../src/protocol/chat";
import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

import { textButton } from "../controls/controls";

export function welcome(daemon: PanelDaemonState, pick: (folders: boolean) => void, guide: HTMLElement[]): HTMLElement {
  const documents = daemon.kind === "ready" ? daemon.documents : undefined;
  const empty = documents === 0;
  return h(
    "div",
    { class: "welcome" },
    icon("book"),
    h("h2", {}, l10n.t("Ask your documents")),
    h(
      "p",
      { class: "quiet" },
      empty ? l10n.t("Nothing is indexed yet. Add files or a folder to begin.") : countText(documents),
    ),
    empty &&
      h(
        "div",
        { class: "buttons" },
        textButton(l10n.t("Add Files…"), () => pick(false), true),
        textButton(l10n.t("Add a Folder…"), () => pick(true)),
      ),
    ...guide,
    h("p", { class: "quiet" }, l10n.t("You can also drop files here; hold Shift to drop from the editor's explorer.")),
  );
}

function countText(documents: number | undefined): string {
  if (documents === undefined) return "";
  const count = documents === 1 ? l10n.t("1 document is indexed.") : l10n.t("{0} documents are indexed.", documents);
  return `${count} ${l10n.t("Answers show the passages that they rest on.")}`;
}
