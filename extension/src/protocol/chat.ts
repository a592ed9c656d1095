/** Every message between the chat webview and the extension, both ways: `{type, …}` with these payloads. */

import type { Citation, Collection, Job, JobResult, Suggestion } from "../core/api/types";
import type { Envelope } from "./envelope";
import type { AskOptions, AssistantMessage, AttachedText, Retrieval, Session, SessionRow, ScopeItem } from "./session";
import type { Problem, ProblemCommand, SetupProgress } from "./setup";

type Nothing = object;

/** Who can write answers. */
export interface ModelChoice {
  /** `editor:<model id>`, `daemon`, `none`, or `auto`. */
  id: string;
  label: string;
}

/** What the webview may offer, once the daemon is ready. */
export interface Choices {
  collections: Collection[];
  strategies: string[];
  models: ModelChoice[];
  /** What a question is asked with where its own options leave something out: the extension fills it in. */
  defaults: AskOptions;
}

/** The daemon's status, as far as the webview shows it. */
export type PanelDaemonState =
  | { kind: "setup"; setup: SetupProgress }
  | { kind: "starting"; detail: string }
  | { kind: "ready"; documents: number }
  | { kind: "attention"; problem: Problem };

/** An ingestion that was started from the panel. */
export interface IngestStatus {
  /** Ours: known before the daemon has given the job an id. */
  id: string;
  names: string[];
  collection: string;
  state: "sending" | "queued" | "running" | "done" | "failed" | "cancelled";
  progress?: Job["progress"];
  result?: JobResult;
  error?: Problem;
}

/** What completes a text; `question`: asked before, in a chat of this editor. */
export type Completion = Omit<Suggestion, "kind"> & { kind: Suggestion["kind"] | "question" };

/** What documents are about, and questions that they answer. */
export interface Guide {
  title: string;
  summary: string;
  /** Whether a language model wrote the summary. */
  byModel: boolean;
  topics: string[];
  outline: { title: string; level: number }[];
  questions: string[];
}

/** From the webview to the extension. */
export interface ToExtension {
  /** The webview listens. `drawn`: it shows already what was sent before it could say so. */
  ready: { drawn?: boolean };
  "setup.start": Nothing;
  "setup.cancel": Nothing;
  "setup.choosePython": Nothing;
  /** A command of ours that a problem offers as its remedy. */
  "problem.action": { command: ProblemCommand };
  /** `replaces`: edit and resend: this user message and all after it go. */
  ask: { sessionId: string; text: string; options: AskOptions; replaces?: string };
  stop: { sessionId: string };
  /** The text in the composer, while it is written; `number` grows. An empty text calls off the search for the last one. */
  typed: { number: number; text: string; options: AskOptions };
  /** Open a passage of the last `typed.found`. */
  "typed.open": { chunkId: string };
  /** Answer again, with these options; the message and all after it go. */
  retry: { sessionId: string; messageId: string; options: AskOptions };
  "session.new": Nothing;
  "session.open": { sessionId: string };
  "session.delete": { sessionId: string };
  "session.rename": { sessionId: string; title: string };
  "session.pin": { sessionId: string; pinned: boolean };
  /** An empty `text` lists all. */
  "session.search": { text: string };
  /** `collection`: the one chosen in the composer; left out: the setting's, else `default`. */
  "ingest.pick": { folders: boolean; collection?: string };
  /** Dropped from the editor's explorer: URIs. */
  "ingest.uris": { uris: string[]; collection?: string };
  /** Dropped from elsewhere: the webview has only bytes. One message a file, so that none grows beyond what can be sent. */
  "ingest.file": { batch: string; index: number; count: number; name: string; bytes: Uint8Array; collection?: string };
  "ingest.cancel": { id: string };
  "citation.open": { sessionId: string; messageId: string; citationId: number };
  "image.load": { assetId: string; variant: "thumb" | "raw" };
  "image.open": { assetId: string; title: string };
  "code.copy": { text: string };
  "code.insert": { text: string };
  "answer.copy": { sessionId: string; messageId: string };
  /** `verdict: null` withdraws it; `comment`: why, in people's own words. */
  feedback: { sessionId: string; messageId: string; verdict: "up" | "down" | null; comment?: string };
  /** http, https and mailto only; asked by the editor as for any link. */
  "link.open": { href: string };
  /** What is there to ask about these; nothing: about all. Answered by `guide`. */
  "guide.load": { key: string; scope: ScopeItem[] };
  /** Let people tick what to ask; `scope` is ticked at first. Answered by `scope`. */
  "scope.choose": { scope: ScopeItem[] };
  /** Add what these name on this machine; people choose files where they name none. */
  "scope.add": { scope: ScopeItem[] };
  "settings.open": { query: string };
  /** Written to the log: something in the webview went wrong. */
  "webview.error": { message: string; stack: string };
}

/** From the extension to the webview. */
export interface ToWebview {
  /** First, and again after each reload of the webview. `text` holds the translations, English text → shown text. */
  init: {
    text: Record<string, string>;
    language: string;
    daemon: PanelDaemonState;
    session: Session;
    choices: Choices | null;
    ingests: IngestStatus[];
  };
  daemon: { daemon: PanelDaemonState };
  choices: { choices: Choices };
  /** Show this session, whole. */
  session: { session: Session };
  /** The session has another title now. */
  "session.title": { sessionId: string; title: string };
  sessions: { text: string; rows: SessionRow[] };
  /** A question was accepted: the session's messages up to `keep` stay, then these follow. */
  "answer.started": { sessionId: string; keep: number; messages: Session["messages"]; title: string };
  "answer.retrieval": { sessionId: string; messageId: string; citations: Citation[]; retrieval: Retrieval };
  "answer.delta": { sessionId: string; messageId: string; text: string };
  /** Found for the text of `typed` with this number: each of the two comes by itself. */
  "typed.found": { number: number; suggestions?: Completion[]; passages?: Citation[] };
  "answer.restart": { sessionId: string; messageId: string };
  /** The whole message as it is kept. */
  "answer.ended": { sessionId: string; message: AssistantMessage };
  feedback: { sessionId: string; messageId: string; feedback: AssistantMessage["feedback"] | null };
  ingest: { ingest: IngestStatus };
  /** `bytes` is null when it could not be had; `problem` then says why. */
  image: { assetId: string; variant: "thumb" | "raw"; bytes: Uint8Array | null; problem: string };
  /** Shown for a moment, and read aloud. */
  note: { text: string };
  /** Put this into the composer and the cursor behind it. */
  compose: { text: string; send: boolean };
  /** Of the `guide.load` with this key; null when there is nothing to say. */
  guide: { key: string; guide: Guide | null };
  /** Ask about these from now on, `add`: also about them; `attachments` go with the next question. */
  scope: { scope: ScopeItem[]; add: boolean; attachments: AttachedText[] };
  /** Show the list of sessions. */
  "history.show": Nothing;
}

export type MessageToExtension = Envelope<ToExtension>;
export type MessageToWebview = Envelope<ToWebview>;
