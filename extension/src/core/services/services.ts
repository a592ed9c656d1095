/** What the parts of the extension ask of each other. `extension.ts` puts the parts together. */

import type * as vscode from "vscode";

import type { AnswerEvent, ChosenWriter, Question } from "../answer/types";
import type { Citation, DaemonState } from "../api/types";
import type { DaemonClient } from "../client/daemonClient";
import type { Problem, SetupView } from "../../protocol/setup";

/** Where the daemon stands. */
export type DaemonStatus =
  /** Nothing is installed and no server is configured. */
  | { kind: "setupNeeded" }
  | { kind: "starting"; detail: string }
  | { kind: "ready"; client: DaemonClient; version: string }
  | { kind: "attention"; problem: Problem }
  | { kind: "stopped" };

export interface DaemonService {
  readonly status: DaemonStatus;
  readonly onDidChangeStatus: vscode.Event<DaemonStatus>;
  /** What the running daemon last told of itself. */
  readonly live: DaemonState | undefined;
  readonly onDidChangeLive: vscode.Event<DaemonState>;
  /** The running daemon, started when it is not. Throws `RagError` (SETUP_NEEDED and others) when there can be none. */
  client(): Promise<DaemonClient>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface SetupService {
  readonly view: SetupView;
  readonly onDidChange: vscode.Event<SetupView>;
  /** Runs all steps that are not done yet, then starts the daemon; resolves whether it came to its end. */
  run(): Promise<boolean>;
  cancel(): void;
  choosePython(): Promise<void>;
}

export interface Answering {
  /**
   * The answer as it comes into being. When the writer fails before its first piece, the daemon's own model or the passages
   * answer. Throws `RagError`, and as `fetch` does when it was called off.
   */
  answer(question: Question, writer: ChosenWriter, signal: AbortSignal): AsyncIterable<AnswerEvent>;
}

export interface Places {
  /** Open the exact place of a citation. Failures are told to the user. */
  open(citation: Citation): Promise<void>;
  /** The same as a link for a chat answer; undefined where only the command can open it. */
  location(citation: Citation): vscode.Uri | vscode.Location | undefined;
  /** A picture of a document in a tab. */
  openImage(assetId: string, title: string): Promise<void>;
}

export interface Ingestion {
  /** Files and folders of this machine into a collection, with progress; asks for the collection when there are several. */
  add(uris: readonly vscode.Uri[], collection?: string): Promise<void>;
}
