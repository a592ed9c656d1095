/** The document viewer: pages of a PDF, a picture, or what was read in a document, with the cited passage marked. */

import * as l10n from "@vscode/l10n";

import type { Shown, ViewerMessageToWebview, ViewerState, ViewerToExtension } from "../../src/protocol/viewer";
import { h } from "../shared/dom";
import { Host } from "../shared/host";
import { useTranslations } from "../shared/l10n";
import { ContentView } from "./contentView";
import { Finder } from "./find/finder";
import { PagesView } from "./pages";
import { PictureFacts } from "./pictureFacts";
import { PictureView } from "./pictureView";
import { Pictures } from "./pictures";
import { SidePanel } from "./side/sidePanel";
import { THUMBNAIL_WIDTH } from "./side/thumbnails";

const host = new Host<ViewerToExtension, ViewerMessageToWebview, ViewerState>();
const pictures = new Pictures((assetId, variant) => host.send("image.load", { assetId, variant }));
const main = h("main", { class: "viewer" });
let state = host.savedState();
let pages: PagesView | undefined;
let picture: PictureView | undefined;
let content: ContentView | undefined;
let side: SidePanel | undefined;
let finder: Finder | undefined;
let facts: PictureFacts | undefined;

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
  if (findKey(event)) event.preventDefault();
  else if (event.target instanceof HTMLInputElement) return;
  else if ((pages ?? picture ?? content)?.key(event)) event.preventDefault();
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
      return pages?.showText(message.page, message);
    case "thumbnail":
      return side?.thumbnailArrived(message.page, message.bytes ? pictures.url(message.bytes) : "");
    case "outline":
      return message.entries ? side?.outlineArrived(message.entries) : side?.outlineFailed();
    case "text":
      return message.text ? finder?.arrived(message.text) : finder?.failed();
    case "content":
      content?.show(message.content, "top");
      finder?.drawn();
      return;
    case "image.text":
      return picture?.textArrived(message.lines);
    case "picture.details":
      return facts?.arrived(message.details, message.problem);
    case "picture.again":
      return facts?.answered(message.isQueued, message.problem);
    case "image":
      pictures.arrived(message.assetId, message.variant, message.bytes, message.problem);
      return;
  }
}

function clear(): void {
  finder?.bar.close();
  pictures.forget();
  pages = picture = content = side = finder = facts = undefined;
}

function failure(message: string, advice: string): HTMLElement {
  const again = h("button", { class: "primary", onclick: () => host.send("reload", {}) }, l10n.t("Try Again"));
  return h("div", { class: "failure", role: "alert" }, h("p", {}, message), advice !== "" && h("p", {}, advice), again);
}

function show(shown: Shown): void {
  clear();
  // The page is kept for the same place over a reload; another place begins at its own. How it is looked at is kept.
  const isSame = JSON.stringify(state?.target) === JSON.stringify(shown.target);
  const { page, ...look } = state ?? {};
  state = { ...look, ...(isSame && page !== undefined ? { page } : {}), target: shown.target };
  host.saveState(state);
  const body = draw(shown);
  openSide(shown);
  const view = pages ?? content;
  const { target } = shown;
  if (view && target.kind === "document") {
    finder = new Finder(view, () => host.send("text.load", { docId: target.docId }));
  }
  main.replaceChildren(
    header(shown),
    ...(shown.note === "" ? [] : [h("p", { class: "note", role: "status" }, shown.note)]),
    h("div", { class: "body" }, side?.element, body),
  );
  if (shown.body.kind === "content") content?.show(shown.body.content, "passage");
  pages?.start();
  side?.start();
  if (pages) side?.showPage(pages.shownPage);
  else if (shown.target.kind === "document") side?.showPage(shown.target.place.slide ?? 1);
}

function draw(shown: Shown): HTMLElement {
  const { body, target } = shown;
  if (body.kind === "pages" && target.kind === "document") {
    const { docId, chunkIds, sentences } = target;
    const cited = chunkIds.length > 0 ? { page: target.place.page ?? 1, top: target.place.bbox?.[1] ?? 0 } : null;
    pages = new PagesView({
      ...{ page: state?.page ?? body.page, pageCount: body.pageCount, zoom: state?.zoom ?? "width", cited, sentences },
      load: (page, width) => host.send("page.load", { docId, page, width }),
      loadText: (page) => host.send("page.text.load", { docId, page }),
      url: (bytes) => pictures.url(bytes),
      changed: (page, zoom) => {
        keep({ page, zoom });
        side?.showPage(page);
      },
      drawn: () => finder?.drawn(),
    });
    return pages.element;
  }
  if (body.kind === "picture") {
    const { assetId, box, content: text } = body;
    picture = new PictureView({
      ...{ assetId, title: shown.title, zoom: state?.zoom ?? "width", box, content: text, pictures },
      loadText: () => host.send("image.text.load", { assetId }),
      zoomed: (zoom) => keep({ zoom }),
    });
    return h("div", { class: "picture-page" }, picture.element, aboutPicture(assetId));
  }
  const document = target.kind === "document" ? target : undefined;
  content = new ContentView({
    ...{ title: shown.title, place: shown.place, sentences: document?.sentences ?? [], pictures },
    ...(body.kind === "content" ? { sheets: body.sheets, slides: body.slides } : { sheets: [], slides: null }),
    isMarkdown: body.kind === "content" && body.isMarkdown,
    slide: document?.place.slide ?? 1,
    zoom: state?.textZoom ?? 1,
    openImage: (assetId, title) => host.send("image.open", { assetId, title }),
    load: (from, isInside) => document && host.send("content.load", { docId: document.docId, from, isInside }),
    zoomed: (textZoom) => keep({ textZoom }),
    reached: (slide) => side?.showPage(slide),
  });
  return content.element;
}

function openSide({ body, target }: Shown): void {
  if (body.kind === "picture" || target.kind !== "document") return;
  const { docId } = target;
  side = new SidePanel({
    pageCount: body.kind === "pages" ? body.pageCount : null,
    slides: body.kind === "content" ? (body.slides ?? []) : [],
    pictures,
    tab: state?.side ?? null,
    loadThumbnail: (page) => host.send("thumbnail.load", { docId, page, width: THUMBNAIL_WIDTH }),
    loadOutline: () => host.send("outline.load", { docId }),
    openPage: (page) => pages?.open(page),
    openSlide: (slide) => content?.openSlide(slide),
    openHeading: ({ page, top, offset }) => {
      if (page !== null) pages?.open(page, top);
      else if (offset !== null) content?.goTo(offset);
    },
    changed: (tab) => keep({ side: tab }),
  });
}

/** What is known of the picture, below it. */
function aboutPicture(assetId: string): HTMLElement {
  facts = new PictureFacts({
    load: () => host.send("picture.details", { assetId }),
    again: () => host.send("picture.again", { assetId }),
    copy: (text) => host.send("picture.copy", { text }),
    openPlace: (docId, chunkId, title) => host.send("picture.place", { docId, chunkId, title }),
  });
  return facts.element;
}

function header(shown: Shown): HTMLElement {
  const isCited = shown.target.kind === "document" && shown.target.chunkIds.length > 0;
  const where = [shown.source, shown.place].filter((part) => part !== "").join(", ");
  const view = pages ?? picture ?? content;
  return h(
    "header",
    {},
    h("h1", {}, shown.title),
    where !== "" && h("p", { class: "source" }, where),
    h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": l10n.t("Document") },
      ...(side?.buttons ?? []),
      side && h("span", { class: "gap" }),
      ...(view?.tools ?? []),
      h("span", { class: "gap" }),
      finder?.bar.button,
      isCited && h("button", { onclick: () => host.send("passage.copy", {}) }, l10n.t("Copy Passage")),
      shown.openLabel !== "" && h("button", { onclick: () => host.send("original.open", {}) }, shown.openLabel),
    ),
    finder?.bar.element,
  );
}

/** Whether the key is one of the search's. */
function findKey(event: KeyboardEvent): boolean {
  if (!finder) return false;
  const { bar } = finder;
  if (event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey)
    bar.open();
  else if (event.key === "F3" && bar.isOpen) finder.step(event.shiftKey ? -1 : 1);
  else if (event.key === "Escape" && bar.isOpen) bar.close();
  else return false;
  return true;
}

function keep(change: Partial<ViewerState>): void {
  if (!state) return;
  state = { ...state, ...change };
  host.saveState(state);
}
