/** One answer on its way: events come in, the message grows, the webview gets the updates. */

import * as l10n from "@vscode/l10n";

import type { MessageToWebview } from "../../protocol/chat";
import type { AssistantMessage } from "../../protocol/session";
import type { AnswerEvent, Question } from "../answer/types";
import { untilCancelled } from "../common/cancellation";
import { RagError, isCancelled } from "../common/errors";
import type { Log } from "../common/log";
import { describe, logFailure } from "../problems/failures";
import { applyEvent, failed, isRunning, stopped } from "../sessions/sessionChanges";
import type { AnswerProvider } from "./answerProvider";
import { Deltas } from "./deltas";

export interface RunListener {
  /** The message as it is now; called for each piece. */
  changed(answer: AssistantMessage): void;
  /** The last one; after it nothing comes. */
  ended(answer: AssistantMessage): void;
  send(message: MessageToWebview): void;
}

export class AnswerRun {
  /** Never rejects: whatever goes wrong becomes the end of the answer. */
  readonly ended: Promise<void>;
  private readonly abort = new AbortController();
  private readonly deltas: Deltas;

  constructor(
    private readonly sessionId: string,
    private answer: AssistantMessage,
    question: Question,
    answers: AnswerProvider,
    private readonly listener: RunListener,
    private readonly log: Log,
  ) {
    const messageId = answer.id;
    this.deltas = new Deltas((text) => listener.send({ type: "answer.delta", sessionId, messageId, text }));
    this.ended = this.follow(question, answers);
  }

  stop(): void {
    this.abort.abort();
  }

  /** The webview has just got the whole message. */
  sentWhole(): void {
    this.deltas.clear();
  }

  private async follow(question: Question, answers: AnswerProvider): Promise<void> {
    const { signal } = this.abort;
    try {
      for await (const event of untilCancelled(answers.answer(question, signal), signal)) this.take(event);
      if (isRunning(this.answer))
        throw new RagError("ANSWER_INCOMPLETE", l10n.t("The answer ended before it was complete."));
    } catch (error) {
      if (isCancelled(error)) {
        this.answer = stopped(this.answer);
      } else {
        logFailure(this.log, "An answer failed", error);
        this.answer = failed(this.answer, describe(error));
      }
    }
    this.deltas.flush();
    this.listener.ended(this.answer);
  }

  private take(event: AnswerEvent): void {
    this.answer = applyEvent(this.answer, event);
    this.listener.changed(this.answer);
    const about = { sessionId: this.sessionId, messageId: this.answer.id };
    switch (event.type) {
      case "delta":
        this.deltas.push(event.text);
        break;
      case "retrieval": {
        const { citations, retrieval } = this.answer;
        if (retrieval) this.listener.send({ type: "answer.retrieval", ...about, citations, retrieval });
        break;
      }
      case "restart":
        this.deltas.clear();
        this.listener.send({ type: "answer.restart", ...about });
        break;
      case "done":
        // The last message holds all of it.
        break;
    }
  }
}
