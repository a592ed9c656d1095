/** What a model gave a tool, checked. Failures are written for the model: they say what to give instead. */

import { FORMATS, type DocType } from "../api/formats.gen";
import { RagError } from "../common/errors";

export interface SearchInput {
  query: string;
  collection?: string;
  top_k?: number;
  filters?: {
    doc_type?: DocType[];
    path_prefix?: string;
    language?: string[];
    updated_after?: string;
    updated_before?: string;
  };
}

export interface ReadInput {
  doc_id: string;
  section?: string;
  offset?: number;
  max_chars?: number;
}

export interface ListInput {
  collection?: string;
  folder?: string;
  text?: string;
  status?: "ready" | "processing" | "failed";
  page?: number;
}

export interface OutlineInput {
  doc_id: string;
}

const STATUSES = ["ready", "processing", "failed"];

type Check<T> = (value: unknown, name: string) => T;

export function searchInput(value: unknown): SearchInput {
  return checked(value, "", { query: text }, { collection: text, top_k: integer(1, 20), filters }) as SearchInput;
}

export function readInput(value: unknown): ReadInput {
  const optional = { section: text, offset: integer(0, Number.MAX_SAFE_INTEGER), max_chars: integer(500, 50_000) };
  return checked(value, "", { doc_id: text }, optional) as ReadInput;
}

export function listInput(value: unknown): ListInput {
  const page = integer(1, 1_000_000);
  return checked(value, "", {}, { collection: text, folder: text, text, status: oneOf(STATUSES), page });
}

export function outlineInput(value: unknown): OutlineInput {
  return checked(value, "", { doc_id: text }, {}) as OutlineInput;
}

function filters(value: unknown, name: string): NonNullable<SearchInput["filters"]> {
  const known = {
    doc_type: list(docType),
    path_prefix: text,
    language: list(text),
    updated_after: date,
    updated_before: date,
  };
  return checked(value, `${name}.`, {}, known);
}

/** Models write null where they mean to leave something out. */
function checked(
  value: unknown,
  prefix: string,
  required: Record<string, Check<unknown>>,
  optional: Record<string, Check<unknown>>,
): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(`${prefix.slice(0, -1) || "The input"} must be an object.`);
  }
  const checks = new Map(Object.entries({ ...required, ...optional }));
  const result: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const check = checks.get(name);
    if (check === undefined)
      throw invalid(`There is no '${prefix}${name}'. Known are: ${[...checks.keys()].join(", ")}.`);
    if (given !== null && given !== undefined) result[name] = check(given, prefix + name);
  }
  for (const name of Object.keys(required)) if (!(name in result)) throw invalid(`'${prefix}${name}' is missing.`);
  return result;
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string" || value.trim() === "") throw invalid(`'${name}' must be a text that is not empty.`);
  return value.trim();
}

function date(value: unknown, name: string): string {
  const written = text(value, name);
  if (Number.isNaN(Date.parse(written))) throw invalid(`'${name}' must be an ISO 8601 date, such as 2026-01-31.`);
  return written;
}

function integer(least: number, most: number): Check<number> {
  return (value, name) => {
    const isInside = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
    if (!isInside) throw invalid(`'${name}' must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

function oneOf(values: readonly string[]): Check<string> {
  return (value, name) => {
    if (typeof value !== "string" || !values.includes(value))
      throw invalid(`'${name}' must be of: ${values.join(", ")}.`);
    return value;
  };
}

function docType(value: unknown, name: string): DocType {
  if (typeof value === "string" && Object.hasOwn(FORMATS, value)) return value as DocType;
  throw invalid(`'${name}' must be of: ${Object.keys(FORMATS).join(", ")}.`);
}

/** A single value stands for a list of one. */
function list<T>(check: Check<T>): Check<T[]> {
  return (value, name) => (Array.isArray(value) ? value : [value]).map((one) => check(one, name));
}

function invalid(message: string): RagError {
  return new RagError("VALIDATION_ERROR", message, "Correct the input and call the tool again.");
}
