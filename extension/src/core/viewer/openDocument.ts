/** A document as the viewer shows it: by its pages, as a picture, or by the content that was read in it. */

import * as l10n from "@vscode/l10n";

import { placeLabel, shortName } from "../../protocol/places";
import type { Body, ContentPart, DocumentTarget, Shown } from "../../protocol/viewer";
import { FORMATS } from "../api/formats.gen";
import type { Chunk, DocumentDetail } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import { contentPart, headingSpan, joinedContent, passageSpans, textSpan, type Span } from "./content";

/** Content with the passage's spans in them. */
interface LoadedContent {
  markdown: string;
  spans: Span[];
  /** Empty, or that the passage is not in them any more. */
  note: string;
}

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
    const content = pages ? undefined : await loadContent(client, target, signal);
    const title = document.title || shortName(document.source);
    const shown: Shown = {
      target,
      title,
      source: document.source,
      place: capitalised(placeLabel(target.place)),
      note: [target.note, document.error?.message, content?.note].filter(Boolean).join(" "),
      openLabel: await openLabel(document),
      body: pages ?? contentBody(document, target, content),
    };
    return new OpenDocument(client, content, document, shown);
  }

  /** Another part of the content. */
  part(from: number): ContentPart | undefined {
    return this.content && contentPart(this.content.markdown, this.content.spans, from);
  }

  /** What was read on a page, with the cited passages marked. */
  async pageText(page: number): Promise<ContentPart> {
    const cited = new Set(this.shown.target.kind === "document" ? this.shown.target.chunkIds : []);
    const here = (await this.allChunks()).filter((chunk) => chunk.page === page);
    return joinedContent(here.map((chunk) => ({ text: chunk.content, marked: cited.has(chunk.chunk_id) })));
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

  /** The same document by its content, for a file that is gone or was changed; `why` says so. */
  async withoutPages(why: string, signal: AbortSignal): Promise<OpenDocument> {
    if (this.shown.target.kind !== "document") return this;
    const content = await loadContent(this.client, this.shown.target, signal);
    const note = [this.shown.note, why, content.note].filter((part) => part !== "").join(" ");
    const body: Body = { kind: "content", content: contentPart(content.markdown, content.spans) };
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

function contentBody(document: DocumentDetail, target: DocumentTarget, content: LoadedContent | undefined): Body {
  const { markdown, spans } = content ?? { markdown: "", spans: [] };
  const picture = FORMATS[document.doc_type].shape === "picture" ? /asset:\/\/([\w-]+)/.exec(markdown) : null;
  if (!picture?.[1]) return { kind: "content", content: contentPart(markdown, spans) };
  const box = target.place.bbox ?? null;
  // The reference to the picture itself is not text of it.
  const text = markdown.replace(/^!\[[^\]]*\]\(asset:[^)]*\)\s*/, "");
  return { kind: "picture", assetId: picture[1], box, content: text === "" ? null : contentPart(text, []) };
}

async function loadContent(client: DaemonClient, target: DocumentTarget, signal: AbortSignal): Promise<LoadedContent> {
  const { markdown } = await client.content(target.docId, signal);
  if (target.chunkIds.length === 0 && target.content === "") return { markdown, spans: [], note: "" };
  let spans = passageSpans(markdown, await client.chunks(target.docId), target.chunkIds);
  if (spans.length === 0) spans = textSpan(markdown, target.content);
  if (spans.length > 0) return { markdown, spans, note: "" };
  const note = l10n.t("The document has changed since this answer; the passage is no longer in it.");
  return { markdown, spans: headingSpan(markdown, target.place.section_path.at(-1)), note };
}

function capitalised(label: string): string {
  return label.charAt(0).toLocaleUpperCase() + label.slice(1);
}
