/** The page of a source's ledger. What changes is drawn anew; where the keyboard was, it stays. */

import * as l10n from "@vscode/l10n";

import type { LedgerItem } from "../../src/core/api/types";
import {
  canBeRetried,
  itemName,
  reasonText,
  type LedgerMessageToWebview,
  type LedgerState,
  type LedgerToExtension,
} from "../../src/protocol/ledger";
import { h } from "../shared/dom";
import { Host } from "../shared/host";
import { useTranslations } from "../shared/l10n";
import { section, table } from "../shared/tables";

const host = new Host<LedgerToExtension, LedgerMessageToWebview, never>();
const main = h("main", {});

document.body.append(main);
window.addEventListener("error", ({ message, error }: ErrorEvent) => {
  host.send("webview.error", { message, stack: error instanceof Error ? (error.stack ?? "") : "" });
});
host.onMessage(receive);
host.send("ready", {});

function receive(message: LedgerMessageToWebview): void {
  switch (message.type) {
    case "init":
      document.documentElement.lang = message.language;
      useTranslations(message.text);
      return;
    case "state":
      keepingFocus(() => draw(message.state));
      return;
    case "failed":
      main.replaceChildren(
        h("h1", {}, l10n.t("Ledger")),
        h(
          "div",
          { class: "failure", role: "alert" },
          h("p", {}, message.message),
          message.advice !== "" && h("p", {}, message.advice),
        ),
      );
  }
}

function draw(state: LedgerState): void {
  const buttons = h(
    "span",
    { class: "buttons" },
    button("sync", l10n.t("Sync Now"), () => host.send("sync", {})),
    button("refresh", l10n.t("Refresh"), () => host.send("refresh", {})),
  );
  main.replaceChildren(
    h("header", {}, h("h1", {}, l10n.t("Ledger: {0}", state.name)), buttons),
    h("ul", { class: "about" }, ...state.about.map((line) => h("li", {}, line))),
    counts(state),
    cycles(state),
    leftOut(state),
    held(state),
  );
}

function counts({ counts: by }: LedgerState): HTMLElement {
  const names: Record<string, string> = {
    indexed: l10n.t("Indexed"),
    skipped: l10n.t("Left out"),
    held: l10n.t("Held back"),
    pending: l10n.t("To be read"),
  };
  const shown = Object.entries(names).map(([state, name]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, number(by[state] ?? 0))),
  );
  return section("counts", l10n.t("Items"), h("dl", { class: "counts" }, ...shown));
}

function cycles({ cycles: all }: LedgerState): HTMLElement {
  const title = l10n.t("Readings");
  if (all.length === 0) return section("cycles", title, quiet(l10n.t("Not read yet")));
  const columns = [
    { title: l10n.t("Begun") },
    { title: l10n.t("Kind") },
    { title: l10n.t("State") },
    { title: l10n.t("There"), isNumber: true },
    { title: l10n.t("Indexed"), isNumber: true },
    { title: l10n.t("Left out"), isNumber: true },
    { title: l10n.t("Held back"), isNumber: true },
    { title: l10n.t("Updated"), isNumber: true },
    { title: l10n.t("Deleted"), isNumber: true },
    { title: l10n.t("Requests"), isNumber: true },
    { title: l10n.t("Seconds"), isNumber: true },
    { title: l10n.t("Throttled, seconds"), isNumber: true },
    { title: l10n.t("Note") },
  ];
  const rows = all.map((cycle) => [
    time(cycle.started_at),
    kindText(cycle.kind),
    stateText(cycle.phase, cycle.complete),
    number(cycle.remote),
    number(cycle.indexed),
    number(cycle.skipped_count),
    number(cycle.held),
    number(cycle.added + cycle.updated),
    number(cycle.deleted),
    number(cycle.requests),
    number(Math.round(cycle.active_s)),
    number(Math.round(cycle.throttled_s)),
    cycle.notice ?? "",
  ]);
  return section("cycles", title, table(title, columns, rows));
}

function leftOut({ skipped, skippedTotal }: LedgerState): HTMLElement {
  const title = l10n.t("Left out ({0})", skippedTotal);
  if (skipped.length === 0) return section("skipped", title, quiet(l10n.t("Nothing was left out.")));
  const columns = [
    { title: l10n.t("Item") },
    { title: l10n.t("Space or project") },
    { title: l10n.t("Reason") },
    { title: l10n.t("What to do") },
    { title: l10n.t("Action") },
  ];
  const rows = skipped.map((item) => [
    named(item),
    item.container,
    reasonText(item.reason),
    item.message ?? "",
    retry(item),
  ]);
  const all = button("retry-all", l10n.t("Try All Again"), () => host.send("retry", { items: null }));
  const more = skippedTotal > skipped.length && button("more", l10n.t("Load more…"), () => host.send("more", {}));
  return section("skipped", title, h("p", {}, all), table(title, columns, rows), more && h("p", {}, more));
}

function held({ held: items, heldTotal }: LedgerState): HTMLElement | string {
  if (heldTotal === 0) return "";
  const title = l10n.t("Held back ({0})", heldTotal);
  const why = l10n.t(
    "These are gone there. They are kept here, because too much went at once; the tree of sources deletes them.",
  );
  const columns = [{ title: l10n.t("Item") }, { title: l10n.t("Space or project") }];
  const rows = items.map((item) => [named(item), item.container]);
  return section("held", title, quiet(why), table(title, columns, rows));
}

function retry(item: LedgerItem): HTMLElement | string {
  if (!canBeRetried(item.reason)) return "";
  const label = l10n.t("Try again: {0}", itemName(item));
  const again = button(`retry:${item.id}`, l10n.t("Try Again"), () => host.send("retry", { items: [item.id] }));
  again.setAttribute("aria-label", label);
  return again;
}

/** With its id, which finds it on the site. */
function named(item: LedgerItem): HTMLElement {
  const name = itemName(item);
  return h("span", {}, name, name !== item.id && h("span", { class: "quiet" }, ` ${item.id}`));
}

function kindText(kind: LedgerState["cycles"][number]["kind"]): string {
  switch (kind) {
    case "full":
      return l10n.t("full");
    case "incremental":
      return l10n.t("what changed");
    case "items":
      return l10n.t("single items");
  }
}

function stateText(phase: LedgerState["cycles"][number]["phase"], isComplete: boolean): string {
  switch (phase) {
    case "listing":
      return l10n.t("listing");
    case "fetching":
      return l10n.t("fetching");
    case "done":
      return isComplete ? l10n.t("complete") : l10n.t("not complete");
    case "failed":
      return l10n.t("failed");
  }
}

function button(key: string, label: string, onclick: () => void): HTMLButtonElement {
  return h("button", { type: "button", "data-key": key, onclick }, label);
}

function quiet(text: string): HTMLElement {
  return h("p", { class: "quiet" }, text);
}

function number(value: number): string {
  return value.toLocaleString(document.documentElement.lang);
}

function time(at: string): string {
  return new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "medium" });
}

function keepingFocus(drawAll: () => void): void {
  const key = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["key"] : undefined;
  const { scrollTop } = document.documentElement;
  drawAll();
  document.documentElement.scrollTop = scrollTop;
  if (key !== undefined)
    document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}
