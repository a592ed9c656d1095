/** Cards of the files that are being added from the panel. */

import * as l10n from "@vscode/l10n";

import type { IngestStatus } from "../../../src/protocol/chat";
import { progressText } from "../../../src/protocol/jobs";
import { h } from "../../shared/dom";
import { icon, type IconName } from "../../shared/icons";

import type { Announcer } from "../controls/announcer";
import { iconButton, problemBox, progressBar, spinner } from "../controls/controls";
import type { Send } from "../types";

export class IngestCards {
  readonly element = h("section", { class: "ingests", "aria-label": l10n.t("Documents being added"), hidden: true });
  private readonly cards = new Map<string, { card: HTMLElement; state: IngestStatus["state"] }>();

  constructor(
    private readonly send: Send,
    private readonly live: Announcer,
  ) {}

  show(ingest: IngestStatus): void {
    const before = this.cards.get(ingest.id);
    const card = this.card(ingest);
    if (before) before.card.replaceWith(card);
    else this.element.append(card);
    this.cards.set(ingest.id, { card, state: ingest.state });
    if (before?.state !== ingest.state && isOver(ingest)) this.live.say(`${named(ingest)}: ${stateText(ingest)}`);
    this.element.hidden = false;
  }

  private card(ingest: IngestStatus): HTMLElement {
    const over = isOver(ingest);
    const failed = ingest.result?.failed ?? [];
    const remove = () => {
      this.cards.get(ingest.id)?.card.remove();
      this.cards.delete(ingest.id);
      this.element.hidden = this.cards.size === 0;
    };
    const button = over
      ? iconButton("close", l10n.t("Dismiss"), remove)
      : iconButton("close", l10n.t("Cancel"), () => this.send("ingest.cancel", { id: ingest.id }));
    const { progress } = ingest;
    return h(
      "div",
      { class: `ingest ${ingest.state}`, "data-testid": "ingest", "data-state": ingest.state },
      h("div", { class: "ingest-head" }, mark(ingest), h("span", { class: "ingest-name" }, named(ingest)), button),
      !over && progressBar(named(ingest), progress && progress.total > 0 ? progress.done / progress.total : null),
      h("p", { class: "ingest-state" }, stateText(ingest)),
      ingest.error !== undefined && problemBox(ingest.error, this.send),
      failed.length > 0 &&
        h(
          "ul",
          { class: "ingest-failed" },
          ...failed.map(({ source, message }) => h("li", {}, h("strong", {}, source), ` ${message}`)),
        ),
    );
  }
}

function isOver({ state }: IngestStatus): boolean {
  return state === "done" || state === "failed" || state === "cancelled";
}

function named({ names }: IngestStatus): string {
  const [first = ""] = names;
  return names.length > 1 ? l10n.t("{0} and {1} more", first, names.length - 1) : first;
}

function mark(ingest: IngestStatus): SVGSVGElement {
  if (!isOver(ingest)) return spinner();
  const problems = (ingest.result?.failed.length ?? 0) > 0;
  const names: Record<string, IconName> = { done: problems ? "warning" : "check", failed: "error", cancelled: "close" };
  return icon(names[ingest.state] ?? "info");
}

function stateText({ state, progress, result, collection }: IngestStatus): string {
  switch (state) {
    case "sending":
      return l10n.t("Handing over…");
    case "queued":
      return l10n.t("Waiting for its turn…");
    case "running":
      return progress ? progressText(progress) : l10n.t("Indexing");
    case "failed":
      return l10n.t("Failed");
    case "cancelled":
      return l10n.t("Cancelled");
    case "done":
      return resultText(result, collection);
  }
}

function resultText(result: IngestStatus["result"], collection: string): string {
  if (result === undefined) return l10n.t("Done");
  const parts = [
    result.added > 0 && l10n.t("{0} added", result.added),
    result.updated > 0 && l10n.t("{0} updated", result.updated),
    result.unchanged > 0 && l10n.t("{0} unchanged", result.unchanged),
    result.skipped > 0 && l10n.t("{0} skipped", result.skipped),
    result.failed.length > 0 && l10n.t("{0} failed", result.failed.length),
  ].filter((part) => part !== false);
  return l10n.t("In collection {0}: {1}", collection, parts.length > 0 ? parts.join(", ") : l10n.t("nothing to do"));
}
