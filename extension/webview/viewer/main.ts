/** The document viewer: pages of a PDF, a picture, or what was read in a document, with the cited passage marked. */

import * as l10n from "@vscode/l10n";

import type {
  ContentPart,
  Shown,
  ViewerMessageToWebview,
  ViewerState,
  ViewerToExtension,
} from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { Host } from "../shared/host";
import { useTranslations } from "../shared/l10n";
import { markSentences, renderContent } from "./content";
import { PagesView } from "./pages";
import { Pictures } from "./pictures";
import { ZoomArea } from "./zoomArea";

const host = new Host<ViewerToExtension, ViewerMessageToWebview, ViewerState>();
const pictures = new Pictures((assetId, variant) => host.send("image.load", { assetId, variant }));
const main = h("main", { class: "viewer" });
let state = host.savedState();
let pages: PagesView | undefined;
let area: ZoomArea | undefined;
let content: HTMLElement | undefined;
let place = "";

document.body.append(main);
window.addEventListener("error", ({ message, error }: ErrorEvent) => {
  host.send("webview.error", { message, stack: error instanceof Error ? (error.stack ?? "") : "" });
});
window.addEventListener("unhandledrejection", ({ reason }) => {
  const isError = reason instanceof Error;
  host.send("webview.error", {
    message: isError ? reason.message : String(reason),
    stack: isError ? (reason.stack ?? "") : "",
  });
});
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement) return;
  if (pages?.key(event) ?? area?.key(event)) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link) return;
  event.preventDefault();
  host.send("link.open", { href: link.getAttribute("href") ?? "" });
});
host.onMessage(receive);
host.send("ready", {});

function receive(message: ViewerMessageToWebview): void {
  switch (message.type) {
    case "init":
      document.documentElement.lang = message.language;
      useTranslations(message.text);
      return;
    case "loading":
      clear();
      main.replaceChildren(h("p", { class: "quiet", role: "status" }, l10n.t("Loading {0}…", message.target.title)));
      return;
    case "failed":
      clear();
      main.replaceChildren(failure(message.message, message.advice));
      return;
    case "shown":
      show(message.shown);
      return;
    case "page":
      return pages?.arrived(message.page, message.bytes, message.problem);
    case "page.text":
      pages?.showText(message.page, message.content);
      if (pages && state?.target.kind === "document") markSentences(pages.element, state.target.sentences);
      return;
    case "content":
      showContent(message.content, "top");
      return;
    case "image":
      pictures.arrived(message.assetId, message.variant, message.bytes, message.problem);
      return;
  }
}

function clear(): void {
  pictures.forget();
  pages = area = content = undefined;
}

function failure(message: string, advice: string): HTMLElement {
  const again = h("button", { class: "primary", onclick: () => host.send("reload", {}) }, l10n.t("Try Again"));
  return h("div", { class: "failure", role: "alert" }, h("p", {}, message), advice !== "" && h("p", {}, advice), again);
}

function show(shown: Shown): void {
  clear();
  place = shown.place;
  // Page and zoom are kept for the same place over a reload; another place begins at its own page.
  const isSame = JSON.stringify(state?.target) === JSON.stringify(shown.target);
  state = { ...(isSame ? state : {}), target: shown.target };
  host.saveState(state);
  const body = draw(shown);
  main.replaceChildren(
    header(shown),
    ...(shown.note === "" ? [] : [h("p", { class: "note", role: "status" }, shown.note)]),
    body,
  );
  if (shown.body.kind === "content") showContent(shown.body.content, "passage");
  pages?.start();
}

function draw(shown: Shown): HTMLElement {
  const { body, target } = shown;
  if (body.kind === "pages" && target.kind === "document") {
    const { docId, chunkIds } = target;
    const cited = chunkIds.length > 0 ? { page: target.place.page ?? 1, top: target.place.bbox?.[1] ?? 0 } : null;
    pages = new PagesView({
      ...{ page: state?.page ?? body.page, pageCount: body.pageCount, zoom: state?.zoom ?? "width", cited },
      load: (page, width) => host.send("page.load", { docId, page, width }),
      url: (bytes) => pictures.url(bytes),
      changed: (page, zoom) => keep({ page, zoom }),
    });
    return pages.element;
  }
  if (body.kind === "picture") {
    const view = (area = new ZoomArea(state?.zoom ?? "width", shown.title, (zoom) => keep({ zoom })));
    void pictures.element(body.assetId, shown.title).then((element) => view.show(element, shown.title, body.box));
    const text =
      body.content &&
      h(
        "section",
        { class: "page-text" },
        h("h2", {}, l10n.t("Text in the picture")),
        renderContent(body.content, "", "printed"),
      );
    return h("div", { class: "pages" }, view.element, text);
  }
  content = h("article", { class: "content", "aria-label": shown.title });
  return content;
}

function header(shown: Shown): HTMLElement {
  const isCited = shown.target.kind === "document" && shown.target.chunkIds.length > 0;
  const where = [shown.source, shown.place].filter((part) => part !== "").join(", ");
  return h(
    "header",
    {},
    h("h1", {}, shown.title),
    where !== "" && h("p", { class: "source" }, where),
    h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": l10n.t("Document") },
      ...(pages?.tools ?? area?.tools ?? []),
      (pages ?? area) && h("span", { class: "gap" }),
      isCited && h("button", { onclick: () => host.send("passage.copy", {}) }, l10n.t("Copy Passage")),
      shown.openLabel !== "" && h("button", { onclick: () => host.send("original.open", {}) }, shown.openLabel),
    ),
  );
}

function keep(change: { page?: number; zoom?: ViewerState["zoom"] & {} }): void {
  if (!state) return;
  state = { ...state, ...change };
  host.saveState(state);
}

function showContent(part: ContentPart, reveal: "passage" | "top"): void {
  const element = content;
  if (!element || state?.target.kind !== "document") return;
  const { docId } = state.target;
  const button = (label: string, from: number | null) =>
    from !== null && h("button", { class: "more", onclick: () => host.send("content.load", { docId, from }) }, label);
  const none = part.text.trim() === "" && h("p", { class: "quiet" }, l10n.t("No text was read in this document."));
  const children = [
    button(l10n.t("Show Earlier Part"), part.before),
    none,
    renderContent(part, place),
    button(l10n.t("Show Later Part"), part.after),
  ].filter((child) => child !== false);
  element.replaceChildren(...children);
  markSentences(element, state.target.sentences);
  pictures.fill(element, (assetId, title) => host.send("image.open", { assetId, title }));
  element.scrollTop = 0;
  if (reveal === "passage") showPassage(element);
}

/** Its heading at the top; but rows far down in a long table are what people look for, not the table. */
function showPassage(element: HTMLElement): void {
  const label = element.querySelector(".passage-label");
  const passage = element.querySelector(".passage");
  if (!label || !passage) return;
  const distance = passage.getBoundingClientRect().top - label.getBoundingClientRect().top;
  if (distance > element.clientHeight / 2) passage.scrollIntoView({ block: "center" });
  else label.scrollIntoView({ block: "start" });
}
