/**
 * Our models in the editor's own chat: the daemon's, and "passages only". With them `@rag` works in an editor that has no other
 * model: the editor sends no chat request without one.
 */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { AnswerService, Question } from "../../core/answer/types";
import type { Turn } from "../../core/api/types";
import type { Disposable } from "../../core/common/events";
import type { DaemonService } from "../../core/daemon/status";
import { problemOf } from "../../core/problems/failures";
import { citationLabel } from "../../protocol/places";
import { signalOf } from "../common/cancellation";

/** As package.json names it. */
export const OWN_VENDOR = "rag-assistant";
export const PASSAGES_MODEL = "passages";
export const DAEMON_MODEL = "daemon";

/** The longest question that the daemon takes, in characters: what it finds for it has room of its own. */
const LONGEST_QUESTION = 20_000;
/** The editor waits for our models whenever anybody asks for any. */
const ANSWER_LIMIT_MS = 3_000;
const MOST_TURNS = 20;
const LONGEST_TURN = 4_000;
/** As the daemon's own `llm.max_output_tokens` is by default; the editor only shows it. */
const OUTPUT_TOKENS = 1_024;

class OwnModels implements vscode.LanguageModelChatProvider {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.changes.event;
  private readonly listener: Disposable;

  constructor(
    private readonly daemon: DaemonService,
    private readonly answers: AnswerService,
  ) {
    this.listener = daemon.onDidChangeStatus(() => this.changes.fire());
  }

  async provideLanguageModelChatInformation(): Promise<vscode.LanguageModelChatInformation[]> {
    const named = await this.daemonModel();
    const passages = model(PASSAGES_MODEL, l10n.t("RAG: passages only"), l10n.t("no language model"));
    return named === undefined ? [passages] : [model(DAEMON_MODEL, `RAG: ${named}`, l10n.t("by the daemon")), passages];
  }

  /** Without `@rag`, too, what these models say comes from the documents: they have nothing else to say. */
  async provideLanguageModelChatResponse(
    { id }: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    _options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const say = (text: string) => progress.report(new vscode.LanguageModelTextPart(text));
    const signal = signalOf(token);
    try {
      const writer = id === DAEMON_MODEL ? undefined : "passages";
      for await (const event of this.answers.answer(questionOf(messages), writer, signal)) {
        if (event.type === "delta") say(event.text);
        if (event.type === "done" && event.answer.citations.length > 0) {
          const sources = event.answer.citations.map((citation) => `- [${citation.id}] ${citationLabel(citation)}`);
          say(`\n\n${l10n.t("Sources")}\n\n${sources.join("\n")}`);
        }
      }
    } catch (error) {
      const { message, advice } = problemOf(error);
      throw new vscode.LanguageModelError([message, advice].filter((text) => text !== "").join(" "), { cause: error });
    } finally {
      signal.dispose();
    }
  }

  provideTokenCount(
    _model: vscode.LanguageModelChatInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    return Promise.resolve((typeof text === "string" ? text : textOf(text)).length);
  }

  dispose(): void {
    this.listener.dispose();
    this.changes.dispose();
  }

  private async daemonModel(): Promise<string | undefined> {
    const { status } = this.daemon;
    if (status.kind !== "ready") return undefined;
    try {
      const { llm } = await status.client.status(AbortSignal.timeout(ANSWER_LIMIT_MS));
      return llm.provider === "none" ? undefined : llm.model || llm.provider;
    } catch {
      // It has just gone: its next change of state brings the next look.
      return undefined;
    }
  }
}

export function registerOwnModels(daemon: DaemonService, answers: AnswerService): vscode.Disposable {
  const models = new OwnModels(daemon, answers);
  const registered = vscode.lm.registerLanguageModelChatProvider(OWN_VENDOR, models);
  // The editor knows a provider's models once somebody has asked for them; a request before that says "unavailable".
  setImmediate(() => void vscode.lm.selectChatModels({ vendor: OWN_VENDOR }));
  return vscode.Disposable.from(registered, models);
}

function model(id: string, name: string, detail: string): vscode.LanguageModelChatInformation {
  return {
    id,
    name,
    detail,
    family: OWN_VENDOR,
    version: "1",
    tooltip: l10n.t("Answers from the documents of RAG Assistant"),
    maxInputTokens: LONGEST_QUESTION,
    maxOutputTokens: OUTPUT_TOKENS,
    capabilities: { imageInput: false, toolCalling: false },
  };
}

function questionOf(messages: readonly vscode.LanguageModelChatRequestMessage[]): Question {
  const turns = messages.map((message): Turn => ({
    role: message.role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : "user",
    text: textOf(message).trim(),
  }));
  const at = turns.findLastIndex(({ role, text }) => role === "user" && text !== "");
  const history = turns
    .slice(Math.max(0, at - MOST_TURNS), Math.max(0, at))
    .filter(({ text }) => text !== "")
    .map(({ role, text }) => ({ role, text: text.slice(0, LONGEST_TURN) }));
  return { text: (turns[at]?.text ?? "").slice(0, LONGEST_QUESTION), history, attachments: [], options: {} };
}

function textOf({ content }: vscode.LanguageModelChatRequestMessage): string {
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}
