/** A citation as the argument of a command: what a link carries. Whoever wrote the link is not trusted. */

import * as l10n from "@vscode/l10n";

import { highlightedTexts } from "../../protocol/highlights";
import type { Place } from "../../protocol/places";
import type { Citation } from "../api/types";
import { RagError } from "../common/errors";

/** A passage of a document, by its ids and its place. Where the document's file lies is never taken from a link. */
export interface CitedPlace {
  docId: string;
  /** Empty for the document as a whole. */
  chunkIds: string[];
  place: Place;
  /** The passage's text, where it is known: it finds the passage again in a file that has changed. */
  content: string;
  /** Sentences of the text that are looked for. */
  sentences: string[];
}

const LONGEST_TEXT = 2000;
const LONGEST_CONTENT = 50_000;
const MOST_IDS = 50;
const MOST_SENTENCES = 8;

export function citedPlace(citation: Citation): CitedPlace {
  const { page, slide, sheet, cell_range, line_range, bbox, anchor, section_path } = citation;
  return {
    docId: citation.doc_id,
    chunkIds: citation.chunk_ids ?? [citation.chunk_id],
    place: { section_path, ...defined({ page, slide, sheet, cell_range, line_range, bbox, anchor }) },
    content: citation.content,
    sentences: highlightedTexts(citation),
  };
}

/** The document as a whole. */
export function wholeDocument(docId: string): CitedPlace {
  return { docId, chunkIds: [], place: { section_path: [] }, content: "", sentences: [] };
}

/** What a command link carries: as little as finds the place. */
export function citationArgument(citation: Citation): object {
  const { docId, chunkIds, place } = citedPlace(citation);
  return { doc_id: docId, chunk_ids: chunkIds, ...place };
}

/** Reads what `citationArgument` made, or a whole citation. Throws `RagError` (INVALID_ARGUMENT) for anything else. */
export function readCitationArgument(value: unknown): CitedPlace {
  const given = asRecord(value);
  const ids = given["chunk_ids"] ?? (given["chunk_id"] === undefined ? [] : [given["chunk_id"]]);
  return {
    docId: id(given["doc_id"]),
    chunkIds: list(ids, MOST_IDS).map(id),
    place: {
      section_path: list(given["section_path"] ?? [], MOST_IDS).map((part) => text(part, LONGEST_TEXT)),
      ...defined({
        page: optional(given["page"], count),
        slide: optional(given["slide"], count),
        sheet: optional(given["sheet"], (one) => text(one, LONGEST_TEXT)),
        cell_range: optional(given["cell_range"], cellRange),
        line_range: optional(given["line_range"], lineRange),
        bbox: optional(given["bbox"], box),
        anchor: optional(given["anchor"], anchor),
      }),
    },
    content: optional(given["content"], (one) => text(one, LONGEST_CONTENT)) ?? "",
    sentences: list(given["sentences"] ?? [], MOST_SENTENCES).map((one) => text(one, LONGEST_CONTENT)),
  };
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

/** Drops what is undefined or null, as an absent field and an undefined one are not the same to the compiler. */
function defined<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept) as { [Key in keyof T]?: NonNullable<T[Key]> };
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid();
  return value as Record<string, unknown>;
}

function id(value: unknown): string {
  if (typeof value !== "string" || !/^[\w-]{1,128}$/.test(value)) throw invalid();
  return value;
}

function text(value: unknown, longest: number): string {
  if (typeof value !== "string" || value.length > longest) throw invalid();
  return value;
}

function list(value: unknown, most: number): unknown[] {
  if (!Array.isArray(value) || value.length > most) throw invalid();
  return value;
}

function count(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) throw invalid();
  return value;
}

function cellRange(value: unknown): string {
  const range = text(value, 40);
  if (!/^\$?[A-Z]{1,3}\$?\d{1,7}(:\$?[A-Z]{1,3}\$?\d{1,7})?$/.test(range)) throw invalid();
  return range;
}

function lineRange(value: unknown): [number, number] {
  const [first, last] = list(value, 2).map(count);
  if (first === undefined || last === undefined || last < first) throw invalid();
  return [first, last];
}

/** What is put behind a page's address can't lead to another page: it only begins where a path has ended. */
function anchor(value: unknown): string {
  const given = text(value, LONGEST_TEXT);
  if (given !== "" && !/^[?&#][\x21-\x7e]*$/.test(given)) throw invalid();
  return given;
}

function box(value: unknown): [number, number, number, number] {
  const numbers = list(value, 4);
  const isFraction = (one: unknown) => typeof one === "number" && one >= 0 && one <= 1;
  if (numbers.length !== 4 || !numbers.every(isFraction)) throw invalid();
  return numbers as [number, number, number, number];
}

function invalid(): RagError {
  return new RagError("INVALID_ARGUMENT", l10n.t("This link does not name a place in a document."));
}
