/** What the webview sends, checked: it is our own code, yet it draws what others wrote. */

import * as l10n from "@vscode/l10n";

import type { MessageToExtension, ToExtension } from "../../protocol/chat";
import { RagError } from "../common/errors";

const LONGEST_QUESTION = 20_000;
const LONGEST_TEXT = 1_000_000;
const MOST_FILES = 1000;
const MOST_IN_SCOPE = 200;
const LONGEST_ATTACHED = 100_000;

type Check = (value: unknown) => boolean;

const text =
  (longest: number, shortest = 0): Check =>
  (value) =>
    typeof value === "string" && value.length >= shortest && value.length <= longest;
const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const whole =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
const oneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    allowed.includes(value);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const isId = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const isName = matching(/^[\w.-]{1,100}$/);
const isFlag: Check = (value) => typeof value === "boolean";
const isCollection = maybe(text(200));

const isScope: Check = (value) =>
  Array.isArray(value) &&
  value.length <= MOST_IN_SCOPE &&
  value.every(
    (one) =>
      isRecord(one) &&
      oneOf("collection", "source", "folder", "document")(one["kind"]) &&
      text(4096, 1)(one["id"]) &&
      text(4096, 1)(one["label"]),
  );

const OPTIONS: Record<string, Check> = {
  collection: isCollection,
  strategy: maybe(text(100)),
  rerank: maybe(isFlag),
  filters: maybe((value) => isRecord(value) && JSON.stringify(value).length <= 20_000),
  topK: maybe(whole(1, 1000)),
  model: maybe(text(300)),
  scope: maybe(isScope),
  attachments: maybe(
    (value) =>
      Array.isArray(value) &&
      value.length <= 10 &&
      value.every((one) => isRecord(one) && text(500, 1)(one["name"]) && text(LONGEST_ATTACHED)(one["text"])),
  ),
};
const isOptions: Check = (value) =>
  isRecord(value) && Object.entries(value).every(([name, one]) => OPTIONS[name]?.(one) ?? false);

const CHECKS: { [Type in keyof ToExtension]: { [Field in keyof Required<ToExtension[Type]>]: Check } } = {
  ready: { drawn: maybe(isFlag) },
  "setup.start": {},
  "setup.cancel": {},
  "setup.choosePython": {},
  "problem.action": {
    command: oneOf(
      "ragAssistant.setup",
      "ragAssistant.showLog",
      "ragAssistant.restartDaemon",
      "ragAssistant.setServerToken",
      "ragAssistant.setSourceToken",
      "ragAssistant.addModel",
      "ragAssistant.useRest",
      "ragAssistant.openSettings",
    ),
  },
  ask: { sessionId: isId, text: text(LONGEST_TEXT), options: isOptions, replaces: maybe(isId) },
  stop: { sessionId: isId },
  typed: { number: whole(0, Number.MAX_SAFE_INTEGER), text: text(2000), options: isOptions },
  "typed.open": { chunkId: isName },
  retry: { sessionId: isId, messageId: isId, options: isOptions },
  "session.new": {},
  "session.open": { sessionId: isId },
  "session.delete": { sessionId: isId },
  "session.rename": { sessionId: isId, title: text(2000) },
  "session.pin": { sessionId: isId, pinned: isFlag },
  "session.search": { text: text(1000) },
  "ingest.pick": { folders: isFlag, collection: isCollection },
  "ingest.uris": { uris: (value) => isList(value, MOST_FILES, text(4096, 1)), collection: isCollection },
  "ingest.file": {
    batch: isName,
    index: whole(0, MOST_FILES - 1),
    count: whole(1, MOST_FILES),
    name: text(255, 1),
    bytes: (value) => value instanceof Uint8Array,
    collection: isCollection,
  },
  "ingest.cancel": { id: isName },
  "citation.open": { sessionId: isId, messageId: isId, citationId: whole(1, 999) },
  "image.load": { assetId: isName, variant: oneOf("thumb", "raw") },
  "image.open": { assetId: isName, title: text(2000) },
  "code.copy": { text: text(LONGEST_TEXT) },
  "code.insert": { text: text(LONGEST_TEXT) },
  "answer.copy": { sessionId: isId, messageId: isId },
  feedback: { sessionId: isId, messageId: isId, verdict: oneOf("up", "down", null), comment: maybe(text(2000, 1)) },
  "link.open": { href: matching(/^(https?|mailto):[^\s]{1,8000}$/i) },
  "guide.load": { key: text(10_000), scope: isScope },
  "scope.choose": { scope: isScope },
  "scope.add": { scope: isScope },
  "settings.open": { query: text(200) },
  "webview.error": { message: text(10_000), stack: text(100_000) },
};

/** Throws `RagError` VALIDATION_ERROR, in words for people where people can cause it. */
export function checked(message: unknown): MessageToExtension {
  if (!isRecord(message) || typeof message["type"] !== "string" || !Object.hasOwn(CHECKS, message["type"])) {
    throw new RagError("VALIDATION_ERROR", l10n.t("The panel sent something unknown. Close and open it again."));
  }
  const fields = CHECKS[message["type"] as keyof ToExtension] as Record<string, Check>;
  for (const [name, check] of Object.entries(fields)) {
    if (!check(message[name])) throw refused(message["type"], name);
  }
  const known = message as unknown as MessageToExtension;
  if (known.type === "ask") checkQuestion(known.text);
  return known;
}

function checkQuestion(question: string): void {
  if (question.trim() === "") throw new RagError("VALIDATION_ERROR", l10n.t("The question is empty."));
  if (question.length <= LONGEST_QUESTION) return;
  throw new RagError(
    "VALIDATION_ERROR",
    l10n.t("The question is longer than {0} characters. Shorten it, or add the text as a document.", LONGEST_QUESTION),
  );
}

function refused(type: string, field: string): RagError {
  if (type === "link.open")
    return new RagError("VALIDATION_ERROR", l10n.t("Only links to web pages and mail addresses are opened."));
  if (field === "count" || field === "index" || field === "uris") {
    return new RagError(
      "VALIDATION_ERROR",
      l10n.t("At most {0} files can be dropped at once. Choose their folder instead.", MOST_FILES),
    );
  }
  return new RagError(
    "VALIDATION_ERROR",
    l10n.t("The panel sent a wrong value ({0}, {1}). Close and open it again.", type, field),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown, most: number, check: Check): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= most && value.every(check);
}
