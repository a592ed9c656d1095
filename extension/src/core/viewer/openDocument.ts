/** A document as the viewer shows it: by its pages, as a picture, or by the content that was read in it. */

import * as l10n from "@vscode/l10n";

import { placeLabel, shortName } from "../../protocol/places";
import type {
  Body,
  ContentPart,
  DocumentTarget,
  DocumentText,
  MergedCell,
  OutlineEntry,
  PageContents,
  Sheet,
  Shown,
  Slide,
} from "../../protocol/viewer";
import { FORMATS } from "../api/formats.gen";
import type { Chunk, DocumentDetail } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import { mergedCells, slideCards, slidesIn, slidesOf } from "./layout";
import { contentPart, headingSpan, partAround, passageSpans, textSpan, utf16Offsets, type Span } from "./content";
import { codePointsOf, partOfSheet, rowsByLine, sheetsOf } from "./sheets";

/** Content with the passage's spans in them. */
interface LoadedContent {
  markdown: string;
  spans: Span[];
  /** Of a workbook. */
  sheets: Sheet[];
  /** Of a presentation. */
  slides: Slide[];
  /** Empty, or that the passage is not in them any more. */
  note: string;
}

/** Of the content, in UTF-16 units: less than the daemon answers for at a time. */
const STRETCH = 250_000;

export class OpenDocument {
  private chunks: Promise<Chunk[]> | undefined;

  private constructor(
    private readonly client: DaemonClient,
    private readonly content: LoadedContent | undefined,
    readonly document: DocumentDetail,
    readonly shown: Shown,
  ) {}

  /** Throws `RagError` when the document is gone or can't be read. `openLabel` names what its "open" button does. */
  static async load(
    client: DaemonClient,
    target: DocumentTarget,
    openLabel: (document: DocumentDetail) => Promise<string>,
    signal: AbortSignal,
  ): Promise<OpenDocument> {
    const document = await client.document(target.docId, signal);
    // One that could never be read has no pages to show, only the reason.
    const isRead = document.version_id !== null;
    const pages = isRead && FORMATS[document.doc_type].shape === "pages" ? pagesBody(document, target) : undefined;
    const content = pages ? undefined : await loadContent(client, target, document, signal);
    const title = document.title || shortName(document.source);
    const shown: Shown = {
      target,
      title,
      source: document.source,
      place: capitalised(placeLabel(target.place)),
      note: [target.note, document.error?.message, content?.note].filter(Boolean).join(" "),
      openLabel: await openLabel(document),
      body: pages ?? (await contentBody(client, document, target, content, signal)),
    };
    return new OpenDocument(client, content, document, shown);
  }

  /** Another part of the content: that which begins at `from`, or the one around it. */
  async part(from: number, isInside: boolean, signal: AbortSignal): Promise<ContentPart | undefined> {
    return this.content && loadPart(this.client, this.document.id, this.content, from, isInside, signal);
  }

  /** The text of a page, and the cited passages that begin on it. Throws `RagError`. */
  async pageText(page: number, signal: AbortSignal): Promise<PageContents> {
    const { lines, paragraphs } = await this.client.pages.text(this.document.id, page, signal);
    return {
      lines: lines.map(({ words }) => ({ words: words.map(({ text, bbox }) => ({ text, box: bbox })) })),
      paragraphs,
      passages: await this.citedOn(page),
    };
  }

  private async citedOn(page: number): Promise<string[]> {
    const { target } = this.shown;
    if (target.kind !== "document" || target.chunkIds.length === 0 || (target.place.page ?? 1) !== page) return [];
    // A link brings no text along. Else the passages of the document, which are many, are not needed.
    if (target.content !== "") return [target.content];
    const cited = (await this.allChunks()).filter((chunk) => target.chunkIds.includes(chunk.chunk_id));
    return cited.map((chunk) => chunk.content);
  }

  /** All of the document's text, as the viewer shows it. */
  async text(signal: AbortSignal): Promise<DocumentText> {
    if (this.content) {
      const { markdown } = this.content;
      return { markdown, merged: await allMerged(this.client, this.document.id, markdown, signal) };
    }
    return { pages: await this.client.pages.texts(this.document.id, signal) };
  }

  async outline(signal: AbortSignal): Promise<OutlineEntry[]> {
    const entries = await this.client.pages.outline(this.document.id, signal);
    const markdown = this.content?.markdown;
    const starts = entries.map((entry) => entry.start);
    const offsets = markdown === undefined ? [] : utf16Offsets(markdown, starts);
    return entries.map(({ title, level, page, bbox }, index) => ({
      ...{ title, level, offset: offsets[index] ?? null },
      page: markdown === undefined ? (page ?? null) : null,
      top: bbox?.[1] ?? null,
    }));
  }

  /** The cited text as the document has it; what the answer was given when it is not in it any more. */
  async passage(): Promise<string> {
    const { target } = this.shown;
    if (target.kind !== "document") return "";
    if (this.content && this.content.note === "") {
      const { markdown, spans } = this.content;
      return spans.map(([start, end]) => markdown.slice(start, end)).join("\n\n");
    }
    const cited = (await this.allChunks()).filter((chunk) => target.chunkIds.includes(chunk.chunk_id));
    return cited.length === 0 ? target.content : cited.map((chunk) => chunk.content).join("\n\n");
  }

  /** A page as PNG. Throws `RagError`, also for a page that the document does not have. */
  page(page: number, width: number, signal: AbortSignal): Promise<Uint8Array> {
    const cited = this.shown.target.kind === "document" ? this.shown.target.chunkIds : [];
    return this.client.pageImage(this.document.id, page, width, cited, signal);
  }

  /** A page small and without marks, as PNG. Throws `RagError`. */
  thumbnail(page: number, width: number, signal: AbortSignal): Promise<Uint8Array> {
    return this.client.pageImage(this.document.id, page, width, [], signal);
  }

  /** The same document by its content, for a file that is gone or was changed; `why` says so. */
  async withoutPages(why: string, signal: AbortSignal): Promise<OpenDocument> {
    if (this.shown.target.kind !== "document") return this;
    const content = await loadContent(this.client, this.shown.target, this.document, signal);
    const note = [this.shown.note, why, content.note].filter((part) => part !== "").join(" ");
    const body: Body = {
      kind: "content",
      content: contentPart(content.markdown, content.spans),
      sheets: [],
      slides: null,
      isMarkdown: false,
    };
    return new OpenDocument(this.client, content, this.document, { ...this.shown, note, body });
  }

  private allChunks(): Promise<Chunk[]> {
    this.chunks ??= this.client.chunks(this.document.id);
    return this.chunks;
  }
}

function pagesBody(document: DocumentDetail, target: DocumentTarget): Body {
  const count = document.metadata["page_count"];
  const pageCount = typeof count === "number" && count > 0 ? count : null;
  const page = target.place.page ?? 1;
  return { kind: "pages", page: pageCount === null ? page : Math.min(page, pageCount), pageCount };
}

async function contentBody(
  client: DaemonClient,
  document: DocumentDetail,
  target: DocumentTarget,
  content: LoadedContent = { markdown: "", spans: [], sheets: [], slides: [], note: "" },
  signal: AbortSignal,
): Promise<Body> {
  const { markdown, sheets } = content;
  const picture = FORMATS[document.doc_type].shape === "picture" ? /asset:\/\/([\w-]+)/.exec(markdown) : null;
  if (!picture?.[1]) {
    const part = await loadPart(client, document.id, content, undefined, false, signal);
    const type = document.doc_type;
    const slides = FORMATS[type].shape === "slides" ? slideCards(markdown, content.slides) : null;
    return { kind: "content", content: part, sheets, slides, isMarkdown: type === "markdown" || type === "notebook" };
  }
  const box = target.place.bbox ?? null;
  // The reference to the picture itself is not text of it.
  const text = markdown.replace(/^!\[[^\]]*\]\(asset:[^)]*\)\s*/, "");
  return { kind: "picture", assetId: picture[1], box, content: text === "" ? null : contentPart(text, []) };
}

/** A part of the content; of a workbook, one of a single sheet, with its rows. */
async function loadPart(
  client: DaemonClient,
  docId: string,
  { markdown, spans, sheets, slides }: LoadedContent,
  from: number | undefined,
  isInside: boolean,
  signal: AbortSignal,
): Promise<ContentPart> {
  const cut = (text: string, marked: readonly Span[], at: number) =>
    isInside ? partAround(text, marked, at) : contentPart(text, marked, from === undefined ? undefined : at);
  const isBook = sheets.length > 0;
  const at = from ?? (isBook ? (spans[0]?.[0] ?? 0) : 0);
  const part = isBook ? partOfSheet(markdown, spans, sheets, at, cut) : cut(markdown, spans, at);
  const [start, end] = codePointsOf(markdown, part);
  const [rows, cells] = await Promise.all([
    isBook ? client.pages.rows(docId, start, end, signal) : [],
    client.pages.merged(docId, start, end, signal),
  ]);
  return {
    ...part,
    rows: rowsByLine(part.text, start, rows),
    merged: mergedCells(part.text, part.start, start, cells),
    slides: slidesIn(part, slides),
  };
}

/** The merged cells of all of the content, asked for stretch by stretch. */
async function allMerged(
  client: DaemonClient,
  docId: string,
  markdown: string,
  signal: AbortSignal,
): Promise<MergedCell[]> {
  const found: MergedCell[] = [];
  let first = 0;
  for (let start = 0; start < markdown.length; start += STRETCH) {
    // Half of a pair at the edge belongs to the stretch before or after it: no row of a table begins there.
    const text = markdown.slice(start, start + STRETCH);
    const [, end] = codePointsOf(markdown, { start, text });
    found.push(...mergedCells(text, start, first, await client.pages.merged(docId, first, end, signal)));
    first = end;
  }
  return found;
}

async function loadContent(
  client: DaemonClient,
  target: DocumentTarget,
  document: DocumentDetail,
  signal: AbortSignal,
): Promise<LoadedContent> {
  const { markdown } = await client.content(target.docId, signal);
  const shown = { markdown, ...(await loadLayout(client, document, markdown, signal)) };
  if (target.chunkIds.length === 0 && target.content === "") return { ...shown, spans: [], note: "" };
  let spans = passageSpans(markdown, await client.chunks(target.docId), target.chunkIds);
  if (spans.length === 0) spans = textSpan(markdown, target.content);
  if (spans.length > 0) return { ...shown, spans, note: "" };
  const note = l10n.t("The document has changed since this answer; the passage is no longer in it.");
  return { ...shown, spans: headingSpan(markdown, target.place.section_path.at(-1)), note };
}

/** Sheets and slides: what of them the document has. */
async function loadLayout(
  client: DaemonClient,
  document: DocumentDetail,
  markdown: string,
  signal: AbortSignal,
): Promise<Pick<LoadedContent, "sheets" | "slides">> {
  if (document.version_id === null) return { sheets: [], slides: [] };
  const { pages } = client;
  const { shape } = FORMATS[document.doc_type];
  const [outline, places] = await Promise.all([
    shape === "table" || shape === "slides" ? pages.outline(document.id, signal) : [],
    shape === "slides" ? pages.slides(document.id, signal) : [],
  ]);
  return {
    sheets: shape === "table" ? sheetsOf(markdown, outline) : [],
    slides: slidesOf(markdown, outline, places),
  };
}

function capitalised(label: string): string {
  return label.charAt(0).toLocaleUpperCase() + label.slice(1);
}
