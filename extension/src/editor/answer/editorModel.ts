/** A language model of the editor as the writer of an answer. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { asModelError } from "../../core/answer/modelErrors";
import type { Writer } from "../../core/answer/types";
import type { PromptMessage } from "../../core/api/types";
import { RagError } from "../../core/common/errors";
import { tokenOf } from "../common/cancellation";

export class EditorModel implements Writer {
  constructor(private readonly model: vscode.LanguageModelChat) {}

  get name(): string {
    return this.model.name;
  }

  get maxInputTokens(): number {
    return this.model.maxInputTokens;
  }

  async countTokens(text: string, signal: AbortSignal): Promise<number> {
    const { token, dispose } = tokenOf(signal);
    try {
      return await this.model.countTokens(text, token);
    } catch (error) {
      throw asModelError(error);
    } finally {
      dispose();
    }
  }

  async *stream(messages: PromptMessage[], signal: AbortSignal): AsyncGenerator<string> {
    const { token, dispose } = tokenOf(signal);
    // The editor's models know no role for rules: they come first, from the user.
    const sent = messages.map(({ role, text }) =>
      role === "assistant"
        ? vscode.LanguageModelChatMessage.Assistant(text)
        : vscode.LanguageModelChatMessage.User(text),
    );
    const justification = l10n.t(
      "RAG Assistant lets the model answer your question from the passages that were found.",
    );
    try {
      const response = await this.model.sendRequest(sent, { justification }, token);
      yield* response.text;
    } catch (error) {
      throw asModelError(error);
    } finally {
      dispose();
    }
  }
}

/** Stands for a model that was asked for and is not there, so that the answer says so and comes from elsewhere. */
export class MissingModel implements Writer {
  constructor(
    readonly name: string,
    private readonly reason: string,
  ) {}

  get maxInputTokens(): number {
    throw this.error();
  }

  countTokens(): Promise<number> {
    return Promise.reject(this.error());
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- it has nothing to give
  async *stream(): AsyncGenerator<string> {
    throw this.error();
  }

  private error(): RagError {
    return new RagError("MODEL_MISSING", this.reason);
  }
}
