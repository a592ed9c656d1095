/** The chat participant `@rag`. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { AnswerService } from "../../core/answer/types";
import { hasNoDocuments } from "../../core/collections/hasNoDocuments";
import { isCancelled } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { problemOf } from "../../core/problems/failures";
import { signalOf } from "../common/cancellation";
import type { EditorModels } from "../answer/editorModels";
import type { Places } from "../places/places";
import { answerCommand } from "./answerCommand";
import { ingestCommand } from "./ingestCommand";
import { readMetadata, type AnswerMetadata } from "./metadata";
import { PARTICIPANT, promptText } from "./requests";
import { ChatResponse } from "./response";
import { explainCommand, searchCommand } from "./searchCommands";
import { sourcesCommand } from "./sourcesCommand";

export interface ParticipantParts {
  daemon: DaemonService;
  answerService: AnswerService;
  models: EditorModels;
  places: Places;
  log: vscode.LogOutputChannel;
}

export function registerParticipant(context: vscode.ExtensionContext, parts: ParticipantParts): void {
  const participant = vscode.chat.createChatParticipant(PARTICIPANT, (request, chat, stream, token) =>
    respond(parts, request, chat, new ChatResponse(stream, parts.places), token),
  );
  participant.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "icon.png");
  participant.followupProvider = {
    provideFollowups: (result) => readMetadata(result.metadata)?.followups.map((next) => ({ ...next })) ?? [],
  };
  context.subscriptions.push(
    participant,
    participant.onDidReceiveFeedback((feedback) => void keepFeedback(parts, feedback)),
  );
}

async function respond(
  parts: ParticipantParts,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  response: ChatResponse,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const signal = signalOf(token);
  try {
    const kept = await run(parts, request, context, response, signal);
    return kept === undefined ? {} : { metadata: { ...kept } };
  } catch (error) {
    if (isCancelled(error)) return {};
    return failure(error, parts.log, response);
  } finally {
    signal.dispose();
  }
}

async function run(
  { daemon, answerService, models }: ParticipantParts,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  response: ChatResponse,
  signal: AbortSignal,
): Promise<AnswerMetadata | undefined> {
  if (daemon.status.kind === "starting" || daemon.status.kind === "stopped")
    response.progress(l10n.t("Starting the daemon"));
  const client = await daemon.client();
  const asksDocuments = request.command !== "sources" && request.command !== "ingest";
  // What is attached can be answered from alone.
  if (asksDocuments && request.references.length === 0 && (await hasNoDocuments(daemon, signal))) {
    response.nothingAdded();
    return undefined;
  }
  switch (request.command) {
    case "search":
      return searchCommand(daemon, request, context, response, signal);
    case "explain":
      return explainCommand(daemon, request, context, response, signal);
    case "sources":
      await sourcesCommand(client, request, response, signal);
      return undefined;
    case "ingest":
      await ingestCommand(daemon, request, response, signal);
      return undefined;
    case undefined:
    default:
      if (promptText(request) !== "") {
        const writer = await models.writerOf(request.model);
        return answerCommand(answerService, writer, request, context, response, signal);
      }
      response.markdown(l10n.t("Ask a question about your documents."));
      return undefined;
  }
}

function failure(error: unknown, log: vscode.LogOutputChannel, response: ChatResponse): vscode.ChatResult {
  const { code, message, advice, actions } = problemOf(error);
  if (code === "SETUP_NEEDED") {
    response.markdown(l10n.t("RAG Assistant is not set up yet. Set it up once, then ask again."));
    response.button(l10n.t("Set up RAG Assistant"), "ragAssistant.setup");
    return {};
  }
  log.error(`@rag: ${code}: ${message}`);
  if (code === "UNEXPECTED" && error instanceof Error) log.error(error);
  for (const { label, command } of actions) response.button(label, command);
  if (!actions.some(({ command }) => command === "ragAssistant.showLog")) {
    response.button(l10n.t("Show log"), "ragAssistant.showLog");
  }
  return { errorDetails: { message: [message, advice].filter((text) => text !== "").join(" ") } };
}

async function keepFeedback(
  { daemon, log }: ParticipantParts,
  { result, kind }: vscode.ChatResultFeedback,
): Promise<void> {
  const kept = readMetadata(result.metadata);
  if (kept === undefined) return;
  try {
    const client = await daemon.client();
    await client.giveFeedback({
      question: kept.question,
      verdict: kind === vscode.ChatResultFeedbackKind.Helpful ? "up" : "down",
      chunk_ids: kept.chunkIds,
      trace_id: kept.traceId,
      ...(kept.collection === "" ? {} : { collection: kept.collection }),
      ...(kept.answer === "" ? {} : { answer: kept.answer }),
    });
  } catch (error) {
    const { code, message } = problemOf(error);
    log.error(`The feedback was not kept: ${code}: ${message}`);
    void vscode.window.showWarningMessage(l10n.t("Your feedback could not be kept: {0}", message));
  }
}
