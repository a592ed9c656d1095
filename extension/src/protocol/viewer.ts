/** Every message between the document viewer and the extension, both ways: `{type, …}` with these payloads. */

import type { Envelope } from "./envelope";
import type { Place } from "./places";

type Nothing = object;

export interface DocumentTarget {
  kind: "document";
  docId: string;
  title: string;
  chunkIds: string[];
  place: Place;
  /** It finds the passage when its ids are no longer known. */
  content: string;
  /** Those of the passage that are marked within it. */
  sentences: string[];
  /** Why the file is not shown. */
  note: string;
}

/** What a viewer tab shows; it is kept over a reload of the window. */
export type ViewerTarget = DocumentTarget | { kind: "image"; assetId: string; title: string };

/** Of a page or a picture: as wide as the tab, as a whole, or a factor of its width. */
export type Zoom = "width" | "whole" | number;

/** What the webview keeps itself. */
export interface ViewerState {
  target: ViewerTarget;
  page?: number;
  zoom?: Zoom;
}

/** Lines of the text, from 0; the second is behind the last. */
export type LineSpan = [number, number];

/** Markdown to be shown, with the lines that are marked. */
export interface ContentPart {
  text: string;
  lines: LineSpan[];
  /** Where the part before and the part after begin; null when there is none. */
  before: number | null;
  after: number | null;
}

export type Body =
  /** `pageCount` is null when it is not known. */
  | { kind: "pages"; page: number; pageCount: number | null }
  /** `box` is left, top, right, bottom as fractions of the picture. */
  | { kind: "picture"; assetId: string; box: [number, number, number, number] | null; content: ContentPart | null }
  | { kind: "content"; content: ContentPart };

export interface Shown {
  target: ViewerTarget;
  title: string;
  /** The path of the source as people know it. */
  source: string;
  /** "Slide 4": what of the document is marked; empty when it is nothing in particular. */
  place: string;
  /** Something that the reader should know, such as that the file has changed. */
  note: string;
  /** Whether the original can be opened, and what the button for it says. */
  openLabel: string;
  body: Body;
}

export interface ViewerToExtension {
  ready: Nothing;
  /** `width` is in pixels of the screen. */
  "page.load": { docId: string; page: number; width: number };
  "content.load": { docId: string; from: number };
  "image.load": { assetId: string; variant: "raw" | "thumb" };
  /** In a tab of its own. */
  "image.open": { assetId: string; title: string };
  "original.open": Nothing;
  /** http, https and mailto only; asked by the editor as for any link. */
  "link.open": { href: string };
  /** The cited text, to the clipboard. */
  "passage.copy": Nothing;
  reload: Nothing;
  "webview.error": { message: string; stack: string };
}

export interface ViewerToWebview {
  init: { text: Record<string, string>; language: string };
  loading: { target: ViewerTarget };
  shown: { shown: Shown };
  failed: { message: string; advice: string };
  /** `bytes` is null when it could not be had; `problem` then says why. */
  page: { docId: string; page: number; width: number; bytes: Uint8Array | null; problem: string };
  /** The text of a page, for copying and for screen readers. */
  "page.text": { docId: string; page: number; content: ContentPart };
  content: { docId: string; content: ContentPart };
  image: { assetId: string; variant: "raw" | "thumb"; bytes: Uint8Array | null; problem: string };
}

export type ViewerMessageToExtension = Envelope<ViewerToExtension>;
export type ViewerMessageToWebview = Envelope<ViewerToWebview>;
