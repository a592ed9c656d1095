/** One question to one answer: who writes it, an index that is still empty, a daemon that is just being restarted. */

import * as l10n from "@vscode/l10n";

import type { AnswerEvent, AnswerService, ChosenWriter, Question } from "../answer/types";
import { PATIENCE_MS, isUnreachable, reachable } from "../client/reachable";
import { hasNoDocuments } from "../collections/hasNoDocuments";
import { untilCancelled } from "../common/cancellation";
import type { DaemonService } from "../daemon/status";
import { DaemonWatch } from "../daemon/watch";

type DaemonAccess = Pick<DaemonService, "client" | "live" | "onDidChangeStatus">;

export interface Writers {
  /** Who writes for the `id` of a `ModelChoice`; left out: for the setting. */
  writerFor(choice: string | undefined): Promise<ChosenWriter>;
}

/** Where questions are sent, as the conversations see it. */
export interface AnswerProvider {
  answer(question: Question, signal: AbortSignal): AsyncIterable<AnswerEvent>;
}

export class PanelAnswerProvider implements AnswerProvider {
  constructor(
    private readonly daemon: DaemonAccess,
    private readonly answerService: AnswerService,
    private readonly writers: Writers,
    private readonly patience = PATIENCE_MS,
  ) {}

  async *answer(question: Question, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    // Until its first event: from then on the service sees to it, which knows what still needs the daemon.
    const watch = new DaemonWatch(this.daemon, signal);
    try {
      for await (const event of untilCancelled(this.events(question, watch.signal), watch.signal)) {
        watch.release();
        yield event;
      }
    } catch (error) {
      throw watch.reason(error);
    } finally {
      watch.dispose();
    }
  }

  private async *events(question: Question, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    const writer = await this.writers.writerFor(question.options.model);
    if (await hasNoDocuments(this.daemon, signal)) {
      yield nothingYet();
      return;
    }
    try {
      yield* this.answerService.answer(question, writer, signal);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await reachable(this.daemon, signal, this.patience);
      yield { type: "restart" };
      yield* this.answerService.answer(question, writer, signal);
    }
  }
}

function nothingYet(): AnswerEvent {
  const text = l10n.t(
    "There is nothing to answer from yet: no documents have been added. Drop files into this panel, or choose **Add to RAG knowledge base** on a file or folder in the explorer, then ask again.",
  );
  return {
    type: "done",
    answer: {
      text,
      by: { kind: "passages" },
      found: false,
      finish: "complete",
      citations: [],
      support: [],
      notices: [],
    },
  };
}
