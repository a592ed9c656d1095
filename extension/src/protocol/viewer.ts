/** Every message between the document viewer and the extension, both ways: `{type, …}` with these payloads. */

import type { AssetDetails } from "../core/api/types";
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

/** What can be opened beside the document. */
export type SideTab = "pages" | "outline";

/** What the webview keeps itself. */
export interface ViewerState {
  target: ViewerTarget;
  page?: number;
  zoom?: Zoom;
  /** Of content: a factor of the editor's font size. */
  textZoom?: number;
  side?: SideTab | null;
}

/** Lines of the text, from 0; the second is behind the last. */
export type LineSpan = [number, number];

/** A row of a sheet: `bottom` is its number; `top` is another where a header row is said with it. Columns are letters. */
export interface SheetRow {
  line: number;
  top: number;
  bottom: number;
  left: string;
  right: string;
}

/** A sheet of a workbook, and where it begins in the content. */
export interface Sheet {
  title: string;
  offset: number;
}

/** A cell of the table's row that begins at `offset`, a UTF-16 unit of the content: shown as one over rows and columns. */
export interface MergedCell {
  offset: number;
  column: number;
  rows: number;
  columns: number;
  /** Of a header that was read from several rows: which of them, from 0, and what the cell says there. */
  level: number | null;
  text: string;
}

/** A slide by the UTF-16 units of the content. */
export interface Slide {
  /** From 1, as the presentation counts. */
  number: number;
  title: string;
  /** Where its heading begins. */
  start: number;
  /** Its width by its height. */
  ratio: number;
  /** What stands on it at known places; empty where none are known. */
  blocks: { start: number; end: number; box: Box }[];
}

/** A slide drawn small. */
export interface SlideCard {
  number: number;
  title: string;
  offset: number;
  ratio: number;
  /** A picture of it, or the beginning of a text. */
  blocks: { box: Box; assetId: string | null; text: string }[];
}

/** Markdown to be shown, with the lines that are marked. */
export interface ContentPart {
  text: string;
  /** Where it begins in the document's content, in UTF-16 units. */
  start: number;
  lines: LineSpan[];
  /** Of a workbook's sheet, by their lines. */
  rows: SheetRow[];
  /** What is merged in the tables of this part. */
  merged: MergedCell[];
  /** Those that begin in this part. */
  slides: Slide[];
  /** Where the part before and the part after begin; null when there is none. */
  before: number | null;
  after: number | null;
}

/** Left, top, right, bottom as fractions of a page or a picture. */
export type Box = [number, number, number, number];

/** A printed line; `box` is null where it is not known. */
export interface PageLine {
  words: { text: string; box: Box | null }[];
}

/** A page's text as it is read. Of a table, rows are lines, with tabs between cells. */
export interface PageParagraph {
  kind: "text" | "heading" | "table" | "code";
  text: string;
}

/** The text of a page as it is printed and as it is read; `passages` are those that are cited on it. */
export interface PageContents {
  lines: PageLine[];
  paragraphs: PageParagraph[];
  passages: string[];
}

/** All text of a document: by its pages as printed, or as Markdown. */
export type DocumentText =
  { pages: { page: number; text: string }[] } | { markdown: string; merged: readonly MergedCell[] };

/** A heading: on a page, from a height of it on (a fraction), or at a UTF-16 unit of the content. */
export interface OutlineEntry {
  title: string;
  /** From 1. */
  level: number;
  page: number | null;
  top: number | null;
  offset: number | null;
}

export type Body =
  /** `pageCount` is null when it is not known; `slides` is null for what has none; `isMarkdown`: people wrote it so, and lines flow. */
  | { kind: "pages"; page: number; pageCount: number | null }
  | { kind: "picture"; assetId: string; box: Box | null; content: ContentPart | null }
  | { kind: "content"; content: ContentPart; sheets: Sheet[]; slides: SlideCard[] | null; isMarkdown: boolean };

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
  "page.text.load": { docId: string; page: number };
  "thumbnail.load": { docId: string; page: number; width: number };
  "outline.load": { docId: string };
  /** All of it, to be searched. */
  "text.load": { docId: string };
  /** The part that begins at `from`, or the one around it (`isInside`). */
  "content.load": { docId: string; from: number; isInside: boolean };
  "image.text.load": { assetId: string };
  "image.load": { assetId: string; variant: "raw" | "thumb" };
  /** In a tab of its own. */
  "image.open": { assetId: string; title: string };
  "original.open": Nothing;
  /** http, https and mailto only; asked by the editor as for any link. */
  "link.open": { href: string };
  /** The cited text, to the clipboard. */
  "passage.copy": Nothing;
  /** All that is known of the picture that is shown. */
  "picture.details": { assetId: string };
  /** Have it described once more. */
  "picture.again": { assetId: string };
  /** A document that shows it, in a tab of its own, at a passage or (`chunkId` empty) at its beginning. */
  "picture.place": { docId: string; chunkId: string; title: string };
  /** Its table, to the clipboard. */
  "picture.copy": { text: string };
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
  /** The text of a page, for selection, search and screen readers. */
  "page.text": { docId: string; page: number } & PageContents;
  thumbnail: { docId: string; page: number; bytes: Uint8Array | null };
  /** `entries` is null when it could not be had, as is `text`. */
  outline: { docId: string; entries: OutlineEntry[] | null };
  text: { docId: string; text: DocumentText | null };
  content: { docId: string; content: ContentPart };
  /** The lines that were read in a picture. */
  "image.text": { assetId: string; lines: PageLine[] };
  /** `details` is null when they could not be had; `problem` then says why. */
  "picture.details": { assetId: string; details: AssetDetails | null; problem: string };
  "picture.again": { assetId: string; isQueued: boolean; problem: string };
  image: { assetId: string; variant: "raw" | "thumb"; bytes: Uint8Array | null; problem: string };
}

export type ViewerMessageToExtension = Envelope<ViewerToExtension>;
export type ViewerMessageToWebview = Envelope<ViewerToWebview>;
